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
    git checkout -b x                       => name refs/heads/x HEAD
    git checkout -b x main                  => tree main | name refs/heads/x main
    git checkout -B x origin/main -f    => tree origin/main force | name refs/heads/x HEAD moves
    git checkout --orphan x                 => name refs/heads/x HEAD
    git checkout --orphan x main            => tree main | name refs/heads/x main
    git checkout --no-overlay main -- a     => checkout main -- a exact
    git checkout --theirs a                 => checkout a conflict
    git switch main                         => tree main
    git switch -c x                         => name refs/heads/x HEAD
    git switch --orphan x                   => tree
    git switch -c x main                    => tree main | name refs/heads/x main
    git switch -f main                      => tree main force
    git switch --discard-changes main       => tree main force
    git restore a                           => paths -- a exact
    git restore --staged a                  => index HEAD
    git restore --staged --source=x a       => index x
    git restore --overlay --source=x a      => paths x -- a
    git restore -S -W a                     => index HEAD | paths HEAD -- a exact staged
    git restore --source=x a                => paths x -- a exact
    git restore -s x -- a                   => paths x -- a exact
    git reset                               => index HEAD
    git reset HEAD a                        => index HEAD
    git reset x -- a                        => index x
    git reset --soft x                      => head x
    git reset x                             => head x index
    git reset --merge                       => tree HEAD moves staged
    git reset --hard                        => tree HEAD force moves
    git reset --hard x                      => tree x force moves
    git reset --keep x                      => tree x moves
    git read-tree -u -m x                   => tree x
    git read-tree --reset -u x              => tree x force
    git read-tree x                         => index x
    git read-tree -n x                      =>
    git checkout-index -a -f                => paths -- :/
    git checkout-index -a                   => paths -- :/ new
    git merge x                             => merge x
    git merge --abort                       => abort
    git merge -s ours -m why x              => merge x
    git pull                                => pull
    git pull --rebase origin main           => pull origin main
    git rebase x                            => merge x
    git rebase                              => merge @{upstream}
    git rebase --onto a b c                 => tree c | merge a
    git rebase --continue                   =>
    git rebase --skip                       => abort hard
    git rebase --abort                      => abort hard
    git cherry-pick a b                     => commits a b
    git cherry-pick --abort                 => abort
    git cherry-pick --skip                  => abort
    git am --abort                          => abort
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
    git clean -fd                           => clean folders force
    git clean -xdff a                       => clean -- a folders force ignored nested
    git clean -fX -e b                      => clean b force only_ignored
    git clean                               => clean
    git clean -i                            =>
    echo 1 | git clean -i                   => clean force
    git clean -n                            =>
    git rm a                                => remove -- a
    git rm -rf a                            => remove -- a force
    git rm --cached a                       =>
    git branch -D x                         => refs refs/heads/x
    git branch -d x                         =>
    git branch -d -f x                      => refs refs/heads/x
    git branch --delete --force x           => refs refs/heads/x
    git branch -m a b                       => name refs/heads/b a
    git branch -M a b                       => refs refs/heads/b | name refs/heads/b a
    git branch -M b                         => refs refs/heads/b | name refs/heads/b HEAD
    git branch x                            => name refs/heads/x HEAD
    git branch -f x y                       => name refs/heads/x y moves
    git branch --list x                     =>
    git branch -a                           =>
    git branch -D -r origin/x               =>
    git tag v1                              => name refs/tags/v1 HEAD
    git tag -a v1 -m x y                    => name refs/tags/v1 y
    git tag -l 'v*'                         =>
    git tag -d v1                           => refs refs/tags/v1
    git tag -f v1                           => refs refs/tags/v1 | name refs/tags/v1 HEAD
    git update-ref -d refs/heads/x          => refs refs/heads/x
    git update-ref -d refs/stash            => drop
    git update-ref refs/heads/x y           => name refs/heads/x y moves
    git symbolic-ref HEAD refs/heads/x      => name HEAD refs/heads/x
    git symbolic-ref HEAD                   =>
    git reflog                              =>
    git reflog expire --expire=now --all    => reflog all
    git reflog delete HEAD@{1}              => reflog HEAD@{1}
    git gc                                  => prune as_set
    git gc --auto                           =>
    git gc --prune=now --aggressive         => prune
    git gc --prune=never                    =>
    git prune                               => prune
    git prune -n                            =>
    git repack -ad                          => prune
    git repack -adk                         =>
    git worktree add ../w main              => made -- ../w
    git worktree add -b x ../w              => made -- ../w | name refs/heads/x HEAD
    git worktree move a b                   => made -- b
    git worktree remove w                   => worktree -- w
    git worktree remove --force w           => worktree -- w force
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
    git fetch                               => fetch
    git fetch origin a:b                    => fetch origin a:b
    git bisect start                        => bisect
    git bisect start b a                    => bisect b a
    git bisect reset                        =>
    git bisect log                          =>
    git submodule update                    =>
    git submodule update --force            => submodules
    git submodule deinit -f a               => submodules -- a gone
    git submodule foreach 'git clean -fd'   => each git clean -fd
    git mv a b                              =>
    git mv -f a b                           => overwrite -- b b/a
    git sparse-checkout set a b             => sparse -- a b
    git sparse-checkout add a               =>
    git sparse-checkout disable             =>
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
