"""The preset `destructive`: what harms elsewhere is asked about, its neighbours that read are free.

Each row goes through the real command (`penstock judge --batch`) with the preset added to `guard`.
"""

from __future__ import annotations

import json
import tomllib

import pytest

from penstock import presets
from tests.presets import destructive_rows as fresh
from tests.project import Project

POLICY = 'version = 1\npreset = "guard"\n\n[includes]\npresets = ["destructive"]\n'

HARM = r"""
psql -c 'drop table users'
psql -c "DROP TABLE users CASCADE"
psql app -c 'truncate orders'
psql -h db -U app -c 'TRUNCATE TABLE orders, items'
psql -c 'delete from users'
psql -c 'DELETE FROM public.users;'
psql "$DATABASE_URL" -c 'drop schema public cascade'
/usr/bin/psql -c 'drop database app'
PGPASSWORD=x psql -c 'drop database app'
sudo -u postgres psql -c 'drop role app'
env PGHOST=db psql -c 'drop view v'
bash -c "psql -c 'drop table users'"
sh -c 'psql -c "truncate a"'
cd api && psql -c 'drop table users'
true; psql -c 'drop table users'
psql -c 'alter table users drop column name'
pgcli -e 'drop table users'
mysql -e 'drop database app'
mysql -u root -psecret app -e 'TRUNCATE orders'
mariadb -e 'delete from users;'
mysql app -e 'drop index i on t'
sqlite3 app.db 'drop table users'
sqlite3 app.db 'DELETE FROM users'
sqlite3 app.db "delete from users;"
duckdb a.db 'drop table t'
sqlcmd -Q 'DROP DATABASE app'
cockroach sql -e 'drop table users'
clickhouse-client -q 'truncate table t'
bq query 'drop table d.t'
cqlsh -e 'drop keyspace k'
echo 'drop table users' | psql
echo 'TRUNCATE a;' | sudo -u postgres psql app
printf 'drop database app' | mysql -u root
dropdb app
dropdb --if-exists app
sudo -u postgres dropdb app
dropuser app
mysqladmin -u root drop app
redis-cli flushall
redis-cli FLUSHALL
redis-cli -h cache -p 6379 FLUSHDB
/usr/bin/redis-cli flushall
valkey-cli flushall
mongosh app --eval 'db.dropDatabase()'
mongosh --eval 'db.users.deleteMany({})'
mongosh --eval 'db.users.drop()'
mongo app --eval 'db.dropDatabase()'
etcdctl del / --prefix
npx prisma migrate reset
npx prisma migrate reset --force
prisma db push --force-reset
pnpm prisma migrate reset
rails db:drop
bin/rails db:reset
bundle exec rails db:drop db:create
RAILS_ENV=production rails db:schema:load
rake db:drop
php artisan migrate:fresh
php artisan db:wipe
python manage.py flush
python3 manage.py reset_db --noinput
./manage.py flush
mix ecto.drop
mix ecto.reset
npx sequelize-cli db:drop
supabase db reset
alembic downgrade base
flyway -url=x clean
dotnet ef database drop -f
aws s3 rb s3://b --force
aws s3 rm s3://b --recursive
aws s3 sync . s3://b --delete
aws ec2 terminate-instances --instance-ids i-1
aws --profile prod --region eu-west-1 rds delete-db-instance --db-instance-identifier a
AWS_PROFILE=prod aws dynamodb delete-table --table-name t
aws cloudformation delete-stack --stack-name s
aws iam delete-user --user-name u
aws lambda delete-function --function-name f
aws ec2 stop-instances --instance-ids i-1
aws sqs purge-queue --queue-url q
aws kms schedule-key-deletion --key-id k
sudo aws ecr batch-delete-image --repository-name r
gcloud compute instances delete web
gcloud projects delete p
gcloud --quiet sql instances delete db
gcloud container clusters delete c --zone z
gsutil rm -r gs://b
gsutil -m rm gs://b/**
gsutil rb gs://b
bq rm -r -f d
firebase firestore:delete --all-collections
az group delete -n prod
az vm delete -n a -g b --yes
az keyvault purge -n a
azd down
heroku apps:destroy shop --confirm shop
heroku pg:reset DATABASE_URL
fly apps destroy shop
flyctl volumes delete vol_1
vercel remove shop
npx wrangler delete
doctl compute droplet delete 1
hcloud server delete web
cdk destroy
npx cdk destroy --force
sam delete
eksctl delete cluster c
serverless remove
kubectl delete pod web-1
kubectl -n shop delete deploy web
kubectl --context prod delete namespace shop
kubectl drain node-1 --ignore-daemonsets
kubectl scale deploy web --replicas=0
kubectl replace --force -f a.yaml
echo web-1 | xargs kubectl delete pod
KUBECONFIG=prod.yaml kubectl delete -f a.yaml
oc delete project shop
helm uninstall shop
helm -n prod delete shop
helm rollback shop 3
helmfile destroy
argocd app delete shop
terraform destroy
terraform destroy -auto-approve
terraform apply -auto-approve
terraform -chdir=prod apply --auto-approve
TF_VAR_a=1 terraform destroy
tofu destroy
terragrunt run-all destroy
terraform state rm a.b
terraform workspace delete prod
pulumi destroy --yes
pulumi up --yes
docker system prune -a
docker system prune -af --volumes
docker volume rm pgdata
docker volume prune -f
docker compose down -v
docker compose -f prod.yml down --volumes
docker-compose down -v
sudo docker system prune
podman volume rm a
npm publish
npm publish --access public
npm unpublish a@1.0.0
npm deprecate a 'old'
pnpm publish
pnpm -r publish
yarn publish
yarn npm publish
cargo publish
cargo yank --version 1.0.0
twine upload dist/*
python -m twine upload dist/*
uv publish
poetry publish --build
flit publish
gem push a.gem
docker push me/app
docker buildx build --push -t me/app .
npx semantic-release
mvn deploy
./gradlew publish
vsce publish
dotnet nuget push a.nupkg
gh repo delete me/app
gh release delete v1 --yes
gh secret set TOKEN
gh secret delete TOKEN
gh api -X DELETE repos/me/app
gh api --method DELETE repos/me/app/hooks/1
gh auth token
gh pr merge 1 --admin
glab repo delete me/app
git filter-branch --tree-filter 'rm a' HEAD
git filter-repo --path a
git-filter-repo --analyze
bfg --delete-files id_rsa
java -jar bfg.jar --strip-blobs-bigger-than 1M
git push --mirror
git push origin --delete release
git -C sub push origin :main
claude --dangerously-skip-permissions
claude -p hi --dangerously-skip-permissions
claude --bare -p hi
claude --permission-mode bypassPermissions
codex --yolo
codex exec --yolo fix
codex --dangerously-bypass-approvals-and-sandbox
codex -a never fix
gemini --yolo
gemini -y -p hi
copilot --allow-all-tools -p hi
cursor-agent --force -p hi
amp --dangerously-allow-all
FOO=1 claude --dangerously-skip-permissions
systemctl stop nginx
sudo systemctl disable --now docker
systemctl --user stop app
service nginx stop
crontab -r
sudo crontab -u www -r
iptables -F
sudo iptables --flush
ufw disable
userdel bob
shutdown -h now
sudo shutdown now
reboot
sudo poweroff
kill -9 -1
kill -KILL -1
"""

FREE = r"""
psql -c 'select * from users'
psql -c '\dt'
psql -f schema.sql
psql -l
pg_dump app > dump.sql
createdb app
mysql -e 'show tables'
mysql -e 'select count(*) from orders'
sqlite3 app.db '.tables'
sqlite3 app.db 'delete from users where id = 7'
sqlite3 app.db 'select 1'
duckdb -c 'select 1'
redis-cli get a
redis-cli ping
redis-cli --scan
mongosh --eval 'db.users.find()'
mongosh --eval 'db.users.deleteOne({a: 1})'
mysqladmin status
etcdctl get a
npx prisma generate
npx prisma migrate dev
npx prisma migrate deploy
npx prisma studio
rails db:migrate
rails db:seed
bin/rails routes
rake db:migrate
rake test
php artisan migrate
php artisan make:model A
python manage.py migrate
python manage.py makemigrations
python manage.py test
mix ecto.migrate
mix test
alembic upgrade head
alembic revision -m a
npx sequelize-cli db:migrate
supabase start
aws s3 ls
aws s3 cp a s3://b/a
aws s3 sync . s3://b
aws s3 rm s3://b --recursive --dryrun
aws sts get-caller-identity
aws ec2 describe-instances
aws logs tail group
aws lambda invoke --function-name f out.json
gcloud auth list
gcloud compute instances list
gcloud config list
gsutil ls
gsutil cp a gs://b
bq ls
bq query 'select 1'
firebase emulators:start
az account show
az group list
az vm list -o table
heroku logs --tail
heroku ps
fly status
fly logs
vercel dev
vercel ls
wrangler dev
doctl compute droplet list
cdk diff
cdk synth
sam build
eksctl get cluster
kubectl get pods
kubectl get pods -A -o wide
kubectl describe pod web-1
kubectl logs -f web-1
kubectl apply -f a.yaml --dry-run=client
kubectl delete pod a --dry-run=client
kubectl config current-context
kubectl exec web-1 -- ls
kubectl port-forward svc/web 8080:80
kubectl rollout status deploy/web
helm list -A
helm template .
helm lint .
helm upgrade --install shop . --dry-run
helm uninstall shop --dry-run
argocd app list
terraform init
terraform plan
terraform plan -destroy
terraform validate
terraform fmt -recursive
terraform show
terraform output
terraform state list
tofu plan
pulumi preview
pulumi stack ls
docker ps
docker ps -a
docker images
docker build -t app .
docker run --rm app
docker compose up -d
docker compose down
docker compose logs web
docker compose ps
docker volume ls
docker image prune
docker logs web
docker exec web ls
podman ps
npm install
npm ci
npm test
npm run build
npm run publish-docs
npm pack --dry-run
npm publish --dry-run
npm view react version
npm whoami
pnpm install
yarn build
cargo build --release
cargo test
cargo publish --dry-run
cargo package
twine check dist/*
python -m build
uv build
uv sync
uv run pytest
poetry build
poetry install
gem build a.gemspec
docker pull redis
mvn package
mvn verify
./gradlew build
dotnet build
gh pr list
gh pr create --fill
gh pr view 3
gh pr checks
gh run list
gh run view 3 --log
gh issue list
gh issue create -t a -b b
gh repo view
gh repo clone me/app
gh release list
gh secret list
gh api repos/me/app
gh auth status
glab mr list
git log --oneline
git push origin feature
git push -u origin feature
git reflog
git remote -v
git commit -m 'never use git filter-branch'
git commit -m 'psql: drop table users'
git log --grep 'terraform destroy'
git branch -a
claude --version
claude -p 'hi'
codex exec 'fix it'
codex --help
gemini -p hi
systemctl status nginx
systemctl list-units
systemctl --user status
service nginx status
crontab -l
iptables -L
ufw status
kill 1234
kill -9 1234
kill -1 1234
kill %1
pkill -f my-server
killall node
grep -rn 'drop table' migrations
rg 'kubectl delete' docs
echo 'run terraform destroy'
cat docs/shutdown.md
ls reboot
echo 'npm publish' > notes.txt
sed -n 1,5p terraform/destroy.tf
python reboot.py
make shutdown-test
man kubectl
which terraform
kubectl --help
terraform -version
docker --version
aws --version
"""


def rows(table: str) -> list[str]:
    return [line for line in table.strip().splitlines() if line]


def rules_behind(
    project: Project, commands: list[str], tool: str = "Bash"
) -> list[tuple[str, str, set[str]]]:
    """Return each command with its verdict and the rules of the preset that spoke."""
    project.write("penstock.toml", POLICY)
    text = presets.read("destructive").decode()
    ids = {rule["id"] for verdict in ("ask", "deny") for rule in tomllib.loads(text)[verdict]}
    lines = [json.dumps({"tool": tool, "input": {"command": c}}) + "\n" for c in commands]
    done = project.run("judge", "--batch", stdin="".join(lines))
    found = [json.loads(line) for line in done.out.splitlines()]
    assert len(found) == len(commands)
    spoken = [{rule["id"] for rule in one["rules"]} & ids for one in found]
    return [(c, o["verdict"], s) for c, o, s in zip(commands, found, spoken, strict=True)]


def test_what_harms_elsewhere_is_asked_about_in_every_spelling(project: Project) -> None:
    found = rules_behind(project, rows(HARM))
    assert len(found) >= 150
    assert [row for row in found if row[1] not in ("ask", "deny") or not row[2]] == []


def test_what_only_looks_or_stays_at_home_is_free(project: Project) -> None:
    found = rules_behind(project, rows(FREE))
    assert len(found) >= 150
    assert [row for row in found if row[2]] == []


MOST_WRONG = 0.02


@pytest.mark.parametrize("tool", ["Bash", "run_shell_command", "exec_command", "run_terminal_cmd"])
def test_fresh_rows_are_answered_rightly_in_every_agents_shell(project: Project, tool: str) -> None:
    harm, free = fresh.rows(fresh.HARM), fresh.rows(fresh.FREE)
    assert min(len(harm), len(free)) >= 150
    silent = [row for row in rules_behind(project, harm, tool) if row[1] == "allow" or not row[2]]
    asked = [row for row in rules_behind(project, free, tool) if row[2]]
    assert len(silent) <= MOST_WRONG * len(harm), silent
    assert len(asked) <= MOST_WRONG * len(free), asked


@pytest.mark.parametrize("verdict", ["ask", "deny"])
def test_every_rule_says_why_and_what_to_do_instead(verdict: str) -> None:
    for rule in tomllib.loads(presets.read("destructive").decode())[verdict]:
        assert rule["reason"]
        assert rule["instead"]
        assert len(rule["match"]) >= 2
        assert len(rule["not_match"]) >= 2
