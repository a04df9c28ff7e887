"""What the words of a git command tell: which deed, on which revisions and paths."""

from __future__ import annotations

import pytest

from penstock.core.shell.analyze import writes

ROWS = """
    git checkout main                       => checkout main
    git checkout -                          => checkout -
    git checkout -- a b                     => checkout -- a b
    git checkout HEAD~1 -- a                => checkout HEAD~1 -- a
    git checkout -f main                    => checkout main force
    git checkout --force main               => checkout main force
    git checkout -b x                       =>
    git checkout -b x main                  => tree main
    git checkout -B x origin/main -f        => tree origin/main force
    git checkout --orphan x                 =>
    git checkout --theirs a                 => checkout a conflict
    git switch main                         => tree main
    git switch -c x                         =>
    git switch -c x main                    => tree main
    git switch -f main                      => tree main force
    git switch --discard-changes main       => tree main force
    git restore a                           => paths -- a
    git restore --staged a                  =>
    git restore -S -W a                     => paths HEAD -- a staged
    git restore --source=x a                => paths x -- a
    git restore -s x -- a                   => paths x -- a
    git reset                               =>
    git reset HEAD a                        =>
    git reset --soft x                      =>
    git reset --hard                        => tree HEAD force moves
    git reset --hard x                      => tree x force moves
    git reset --keep x                      => tree x moves
    git read-tree -u -m x                   => tree x
    git read-tree --reset -u x              => tree x force
    git read-tree x                         =>
    git checkout-index -a -f                => paths -- :/
    git merge x                             => merge x
    git merge --abort                       =>
    git merge -s ours -m why x              => merge x
    git pull                                => pull
    git pull --rebase origin main           => pull origin main
    git rebase x                            => merge x
    git rebase                              => merge @{upstream}
    git rebase --onto a b c                 => tree c | merge a
    git rebase --continue                   =>
    git rebase --skip                       => skip
    git cherry-pick a b                     => commits a b
    git cherry-pick --abort                 =>
    git revert --no-edit HEAD               => commits HEAD
    git apply x.diff                        => patch -- x.diff
    git apply --check x.diff                =>
    git am x.mbox                           => patch -- x.mbox
    git stash                               => stash
    git stash -u                            => stash untracked
    git stash -a                            => stash all untracked
    git stash push -m why -- a              => stash -- a
    git stash pop                           => unstash pop
    git stash apply stash@{1}               => unstash stash@{1}
    git stash list                          =>
    git stash drop                          => drop stash@{0}
    git stash clear                         => drop
    git add -A                              => stage -- :/
    git add a                               => stage -- a
    git add -n a                            =>
    git commit -m x                         => commit
    git commit -am x                        => commit all
    git commit --amend                      => commit amend
    git clean -fd                           => clean folders
    git clean -xdff a                       => clean -- a folders ignored nested
    git clean -fX -e b                      => clean b only_ignored
    git clean -n                            =>
    git rm a                                => remove -- a
    git rm -rf a                            => remove -- a force
    git rm --cached a                       =>
    git branch -D x                         => refs refs/heads/x
    git branch -d x                         =>
    git branch -d -f x                      => refs refs/heads/x
    git branch --delete --force x           => refs refs/heads/x
    git branch -m a b                       =>
    git branch -D -r origin/x               =>
    git tag v1                              =>
    git tag -d v1                           => refs refs/tags/v1
    git tag -f v1                           => refs refs/tags/v1
    git update-ref -d refs/heads/x          => refs refs/heads/x
    git update-ref -d refs/stash            => drop
    git reflog                              =>
    git reflog expire --expire=now --all    => reflog all
    git reflog delete HEAD@{1}              => reflog HEAD@{1}
    git gc                                  =>
    git gc --auto                           =>
    git gc --prune=now --aggressive         => prune
    git gc --prune=never                    =>
    git prune                               => prune
    git prune -n                            =>
    git repack -ad                          => prune
    git worktree add ../w main              => made -- ../w
    git worktree move a b                   => made -- b
    git worktree remove w                   =>
    git worktree remove --force w           => worktree -- w
    git push                                => push
    git push --dry-run -f                   =>
    git push -f                             => push force
    git push -uf origin main                => push origin main force
    git push --forc                         => push force
    git push origin +main                   => push origin +main
    git push --force-with-lease origin x    => push origin x lease
    git push --force-with-lease=a:b         => push lease
    git push --force-with-lease --force     => push force lease
    git push --mirror                       => push mirror
    git push origin --delete x              => push origin x delete
    git push -d origin x                    => push origin x delete
    git push --prune origin                 => push origin prune
    git push origin $(git branch --show-current) => push origin HEAD
    git config alias.x 'push -f'            => setting alias.x push -f
    git config user.name x                  =>
    git -c alias.x=y x                      => setting alias.x y | alias x
    git x a                                 => alias x a
    git update-index --cacheinfo 1,2,a      => index -- a
    env git push -f                         => push force
    sh -c 'git push -f'                     => push force
    g=push; git $g -f                       => push force
    git log -p                              =>
    git fetch                               =>
    git bisect start                        =>
    git submodule update                    =>
"""


def told(command: str) -> str:
    found = []
    for deed, _, _ in writes(command).git:
        paths = ("--", *deed.paths) if deed.paths else ()
        found.append(" ".join((deed.kind, *deed.refs, *paths, *sorted(deed.flags))))
    return " | ".join(found)


@pytest.mark.parametrize("line", [line.strip() for line in ROWS.strip().splitlines()])
def test_words_become_deeds(line: str) -> None:
    command, _, expected = line.partition("=>")
    assert told(command.strip()) == expected.strip()


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        ("git reset --hard", "/p"),
        ("git -C d reset --hard", "/p/d"),
        ("git -C d -C e reset --hard", "/p/d/e"),
        ("git -C /q reset --hard", "/q"),
        ("cd d && git reset --hard", "/p/d"),
        ("(cd d && git reset --hard)", "/p/d"),
    ],
)
def test_a_deed_is_done_where_the_command_runs(command: str, folder: str) -> None:
    assert [where for _, where, _ in writes(command, cwd="/p").git] == [folder]


def test_git_dir_and_work_tree_travel_with_the_deed() -> None:
    ((deed, _, _),) = writes("git --git-dir=a/.git --work-tree b checkout -f x").git
    assert (deed.git_dir, deed.work_tree) == ("a/.git", "b")


def test_what_a_push_starts_at_the_other_end_is_followed() -> None:
    for command in ("git push --receive-pack='rm a' u", "git fetch --upload-pack 'rm a' u"):
        assert [target.path for target in writes(command).targets] == ["a"]
