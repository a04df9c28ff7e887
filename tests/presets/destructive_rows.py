"""Commands that harm elsewhere, and their everyday neighbours: tables that tests walk.

Written as people and agents write them, before looking at the rules: with `sudo`, `npx`, `env`,
`bash -c`, pipes, here-documents, in containers and on other machines. `\\n` is a line end.
"""

from __future__ import annotations

HARM = r"""
psql "$DATABASE_URL" -c "DROP TABLE IF EXISTS orders CASCADE"
psql -U app -d shop -tAc 'drop materialized view sales'
psql -c 'begin; delete from carts; commit;'
psql shop -c "UPDATE users SET active = false"
psql shop -c "delete from sessions where 1=1"
psql -c 'drop function f()'
psql -X -q <<'SQL'\nBEGIN;\nDROP TABLE a;\nCOMMIT;\nSQL
psql shop <<< 'truncate table events'
echo "DROP DATABASE shop;" | psql -U postgres
cat <<'E' | mysql -u root shop\ndrop table a;\nE
docker exec -it db psql -U postgres -c 'drop database shop'
docker compose exec -T db mysql -uroot -psecret shop -e 'TRUNCATE TABLE orders'
docker-compose exec db psql -c 'delete from users;'
podman exec pg psql -c "drop schema public cascade"
kubectl exec -n shop deploy/db -- psql -c 'drop table users'
ssh db01 "psql -c 'drop table users'"
ssh -i key.txt root@db01 mysql -e "'drop database shop'"
mysql --host=db shop -e "UPDATE accounts SET balance=0;"
mysql -e "DELETE FROM shop.users"
mysqlsh --sql -e 'drop schema shop'
sqlite3 data/app.sqlite "DROP TABLE IF EXISTS users"
sqlite3 data/app.sqlite 'DELETE FROM users; VACUUM;'
cd backend && sqlite3 dev.db "drop table a"
mongosh "$MONGO_URL" --eval 'db.getSiblingDB("shop").dropDatabase()'
mongosh shop --quiet --eval "db.orders.deleteMany({})"
mongo shop --eval 'db.orders.remove({})'
mongorestore --drop dump/
redis-cli -u redis://cache:6379 FLUSHALL ASYNC
redis-cli -n 2 flushdb
echo FLUSHALL | redis-cli -h cache
docker exec cache redis-cli flushall
sudo -u postgres dropdb --if-exists shop
sudo -u postgres dropuser app
pg_restore --clean --if-exists -d shop dump.tar
mysqladmin -h db -f drop shop
cqlsh -e "DROP KEYSPACE shop"
clickhouse-client --query "TRUNCATE TABLE hits"
cypher-shell "MATCH (n) DETACH DELETE n"
npx prisma migrate reset --force --skip-seed
npx -y prisma@5 migrate reset
yarn prisma migrate reset
pnpm exec prisma db push --accept-data-loss
bunx prisma db push --force-reset
cd packages/db && npx prisma migrate reset -f
bundle exec rake db:drop
RAILS_ENV=test bin/rails db:reset
rails db:migrate:reset
docker compose run --rm web bundle exec rails db:drop
heroku run rails db:drop -a shop
php artisan migrate:fresh --seed --force
sail artisan migrate:refresh
python manage.py flush --noinput
poetry run python manage.py flush
uv run manage.py reset_db --noinput
docker compose exec web python manage.py flush
alembic downgrade base
alembic downgrade -1
poetry run alembic -c db/alembic.ini downgrade base
flask db downgrade
npx knex migrate:rollback --all
npx sequelize-cli db:migrate:undo:all
npx typeorm schema:drop -d src/data-source.ts
sqlx database reset -y
diesel database reset
goose -dir migrations postgres "$DSN" reset
migrate -path db -database "$DSN" drop -f
dbmate drop
mix ecto.drop
supabase db reset --linked
dotnet ef database drop --force
aws s3 rb s3://shop-assets --force
aws s3 rm s3://shop-assets/ --recursive
aws s3 mv s3://a s3://b --recursive
aws s3api delete-object --bucket a --key b
aws --region eu-central-1 ec2 terminate-instances --instance-ids i-0a
aws rds delete-db-cluster --db-cluster-identifier shop --skip-final-snapshot
aws-vault exec prod -- aws dynamodb delete-table --table-name users
AWS_PROFILE=prod aws cloudformation delete-stack --stack-name web
env AWS_PROFILE=prod aws iam delete-role --role-name ci
aws route53 change-resource-record-sets --hosted-zone-id Z --change-batch file://delete.json
aws secretsmanager delete-secret --secret-id a --force-delete-without-recovery
aws ecs delete-service --cluster a --service b --force
for b in a b; do aws s3 rb "s3://$b" --force; done
gcloud -q compute instances delete web-1 --zone europe-west1-b
gcloud run services delete api --region europe-west1
gcloud sql databases delete shop -i main
gcloud storage rm -r gs://shop
gsutil -m rm -r gs://shop/backups
bq rm -r -f -d shop:events
firebase projects:delete shop
firebase firestore:delete -r /users
az group delete -n prod --yes --no-wait
az storage account delete -n shop
az keyvault secret delete --vault-name a -n b
azd down --force --purge
heroku apps:destroy -a shop --confirm shop
heroku pg:reset -a shop
flyctl apps destroy shop -y
fly volumes destroy vol_1 -y
vercel project rm shop
npx vercel remove shop --yes
netlify sites:delete shop
npx wrangler r2 bucket delete assets
npx wrangler d1 delete shop
doctl kubernetes cluster delete shop -f
hcloud server delete web
railway down -y
npx cdk destroy --all --force
npx sst remove --stage prod
serverless remove --stage prod
sam delete --no-prompts
eksctl delete cluster --name prod
kubectl delete ns shop
kubectl -n shop delete deploy,svc -l app=web
kubectl --context=prod delete pvc data-0
kubectl get pods -o name | xargs kubectl delete
kubectl drain node-1 --ignore-daemonsets --delete-emptydir-data
kubectl scale --replicas=0 deploy/web
kubectl scale deploy/web --replicas 0
sudo k3s kubectl delete namespace shop
oc delete project shop
helm -n prod uninstall shop
helm rollback shop 3 -n prod
helmfile -e prod destroy
argocd app delete shop --yes
flux delete kustomization apps
terraform apply -auto-approve
terraform apply plan.out
terraform -chdir=infra destroy -auto-approve
TF_VAR_env=prod terraform destroy
yes yes | terraform apply
cd infra/prod && terraform destroy -target=aws_instance.web
terraform state rm module.db
terragrunt run-all destroy --terragrunt-non-interactive
tofu destroy -auto-approve
pulumi destroy -s prod -y
pulumi up -y
pulumi stack rm prod --force
ansible-playbook -i inventory/prod site.yml
ansible all -i prod -m shell -a 'systemctl stop app'
ansible web -b -m file -a 'path=/srv/app state=absent'
docker system prune -af --volumes
docker volume rm shop_pgdata
docker volume prune --all --force
docker compose down --volumes --remove-orphans
docker compose -p shop -f compose.prod.yml down -v
docker-compose rm -fsv
docker rm -fv db
podman system reset --force
podman volume prune -f
npm publish --access public
npm run build && npm publish
npm unpublish left-pad@1.0.0
npm deprecate shop@1.x "old"
npm dist-tag add shop@2.0.0 latest
pnpm -r publish --no-git-checks
pnpm --filter api publish
yarn npm publish --tolerate-republish
bun publish
npx jsr publish
deno publish
npx lerna publish from-package --yes
npx changeset publish
npx semantic-release --no-ci
npx np minor
npx vsce publish
cargo publish -p core
cargo yank --version 1.0.1 core
uv publish --token "$TOKEN"
python3 -m twine upload --repository pypi dist/*
uvx twine upload dist/*
poetry publish --build
hatch publish
maturin publish
flit publish
gem push shop-1.0.gem
gem yank shop -v 1.0
mvn -B clean deploy
./mvnw deploy -DskipTests
./gradlew publishAllPublicationsToMavenRepository
sbt +publishSigned
dotnet nuget push bin/Release/*.nupkg -s nuget.org
mix hex.publish --yes
dart pub publish --force
pod trunk push Shop.podspec
stack upload .
docker push ghcr.io/me/shop:latest
docker buildx build --platform linux/amd64 --push -t me/shop .
goreleaser release --clean
helm push shop-1.0.tgz oci://registry/charts
gh release create v1.0.0 --generate-notes
gh repo delete me/shop --yes
gh repo edit --visibility public
gh api --method DELETE /repos/me/shop/branches/main/protection
gh api -X DELETE repos/me/shop/releases/1
gh secret set NPM_TOKEN --body x
gh auth token
gh pr merge 12 --admin --squash
glab repo delete shop
curl -X DELETE https://api.example.com/v1/users/7
curl -s -XDELETE "$ES_URL/orders"
curl --request DELETE -H "Authorization: Bearer $T" https://api.cloudflare.com/client/v4/zones/1
http DELETE api.example.com/users/7
git filter-branch --force --index-filter 'git rm --cached -r secrets' -- --all
git filter-repo --invert-paths --path big.bin --force
bfg --strip-blobs-bigger-than 10M
java -jar ~/bin/bfg.jar --delete-files id_rsa
git push --mirror backup
git push origin --delete release/1.0
git push origin :release/1.0
git push --prune origin
git push -d origin v1.0.0
claude -p 'fix' --dangerously-skip-permissions
CLAUDE_CONFIG_DIR=/tmp/c claude --bare -p hi
npx @anthropic-ai/claude-code --dangerously-skip-permissions -p hi
bash -c "claude --permission-mode bypassPermissions -p hi"
codex exec --yolo 'fix it'
codex -s danger-full-access 'fix'
gemini -y 'fix'
npx @google/gemini-cli --yolo
qwen --yolo -p hi
copilot -p 'fix' --allow-all-tools
cursor-agent -p --force 'fix'
opencode run --dangerously-skip-permissions hi
amp --dangerously-allow-all -x hi
tmux new-session -d 'claude --dangerously-skip-permissions'
systemctl stop postgresql
sudo systemctl disable --now nginx
sudo service mysql stop
brew services stop postgresql@16
launchctl bootout gui/501/com.example.agent
crontab -r
sudo crontab -u app -r
sudo iptables -F
sudo nft flush ruleset
sudo ufw --force reset
sudo userdel -r bob
sudo usermod -aG sudo bob
sudo passwd root
echo 'root:x' | sudo chpasswd
sudo ip link set eth0 down
sudo shutdown -r now
sudo reboot
systemctl poweroff
kill -9 -1
sudo kill -TERM -1
psql postgres://app@db/shop -c "drop table if exists public.orders"
PGPASSWORD=x psql -h db -U app shop -c "truncate users restart identity cascade"
psql -v ON_ERROR_STOP=1 shop -c 'drop extension pgcrypto cascade'
kubectl exec -it db-0 -c postgres -- psql -U postgres -c "DROP DATABASE shop"
docker exec -i mysql mysql -uroot shop <<< "drop table users;"
printf 'DELETE FROM users;\n' | sqlite3 app.db
sqlite3 app.db <<E\nDROP TABLE users;\nE
mysql -h db -e "drop user 'app'@'%'"
redis-cli -h prod-cache -a secret --tls FLUSHDB
mongosh mongodb://db/shop --eval "db.users.drop()"
dropdb -h db -U postgres shop
time npx prisma migrate reset --skip-generate
nice -n 10 bundle exec rails db:schema:load
DISABLE_DATABASE_ENVIRONMENT_CHECK=1 rails db:drop
./bin/rake db:reset
php bin/console doctrine:database:drop --force
docker compose exec app php artisan migrate:fresh
npx drizzle-kit drop
alembic downgrade 3f2a
aws s3 sync dist s3://shop --delete
aws s3api delete-bucket --bucket shop
aws ec2 delete-volume --volume-id vol-1
aws lambda delete-function --function-name api
aws eks delete-cluster --name prod
aws ecr delete-repository --repository-name app --force
gcloud container clusters delete prod --zone a -q
gcloud projects delete shop-prod
gcloud functions delete hello
az webapp delete -n shop -g prod
az aks delete -n prod -g prod --yes
fly apps destroy shop
heroku addons:destroy heroku-postgresql -a shop
wrangler kv namespace delete --namespace-id 1
kubectl delete -f k8s/
kubectl delete deployment --all -n shop
watch kubectl delete pod a
kubectl --kubeconfig prod.yaml delete secret tls
helm uninstall ingress -n kube-system
terraform apply --auto-approve=true
terraform destroy -var-file=prod.tfvars
AWS_PROFILE=prod terraform apply
pulumi destroy
ansible-playbook deploy.yml
docker volume rm $(docker volume ls -q)
docker system prune --all
docker compose down -v --rmi all
npm publish ./dist
cd packages/a && npm publish
pnpm publish -r
yarn publish --new-version 1.0.0
twine upload -r pypi dist/*.whl
cargo publish --token x
gem push pkg/a.gem
docker push registry.example.com/app:1.2
podman push app docker://registry/app
gh release create v2 dist/* --notes x
gh release delete v2 -y
gh repo archive me/shop
gh secret delete TOKEN
git push origin --delete feature/x
git push --mirror git@host:me/x.git
git filter-branch --msg-filter cat HEAD
claude --dangerously-skip-permissions "fix it"
codex --dangerously-bypass-approvals-and-sandbox exec fix
gemini --approval-mode=yolo -p hi
sudo systemctl stop docker.socket
sudo systemctl mask nginx
sudo ufw disable
sudo deluser bob
sudo halt -p
shutdown -r +1
curl -X DELETE -u admin:x https://es.example.com/logs-*
"""

FREE = r"""
psql "$DATABASE_URL" -c 'select count(*) from users'
psql -c '\d+ users'
psql -d shop -f db/schema.sql
psql -c "update users set name = 'a' where id = 7"
psql -c "delete from sessions where expires_at < now()"
psql -c "insert into t values (1)"
psql -c "create table drops (id int)"
psql -c 'select * from information_schema.tables' && echo "drop table users"
psql -l | grep delete
docker exec -it db psql -U postgres -c 'select 1'
docker compose exec db pg_dump -U app shop > backup.sql
kubectl exec -n shop deploy/db -- psql -c 'select now()'
ssh db01 "psql -c 'select 1'"
echo 'select 1' | psql
psql <<'E'\nselect 1;\nE
mysql -e 'show databases'
mysql shop -e "update users set a = 1 where id = 3"
mysqldump shop > dump.sql
mysqladmin ping
sqlite3 dev.db '.schema users'
sqlite3 dev.db "select * from users where deleted = 1"
sqlite3 dev.db < schema.sql
mongosh --eval 'db.orders.deleteOne({_id: 1})'
mongosh shop --eval 'db.orders.deleteMany({status: "old"})'
mongodump --out dump
redis-cli -h cache ping
redis-cli keys 'user:*'
redis-cli del session:7
redis-cli --bigkeys
pg_isready -h db
pg_restore -l dump.tar
createuser app
npx prisma migrate dev --name init
npx prisma migrate status
npx prisma db seed
npx prisma generate
pnpm prisma studio
bin/rails db:migrate
bin/rails db:prepare
bundle exec rake db:seed
rails db:migrate:status
php artisan migrate --force
php artisan db:seed
python manage.py migrate
python manage.py showmigrations
python manage.py sqlflush
python manage.py dumpdata > fixtures.json
alembic upgrade head
alembic history
alembic downgrade -1 --sql
flask db migrate -m 'flush cache'
npx knex migrate:latest
npx sequelize-cli db:migrate:status
sqlx migrate run
diesel migration run
goose -dir migrations postgres "$DSN" up
migrate -path db -database "$DSN" up
mix ecto.migrate
supabase status
dotnet ef migrations add Init
aws s3 ls s3://shop --recursive
aws s3 cp dist s3://shop --recursive
aws s3 sync dist s3://shop
aws s3 rm s3://shop/x --dryrun
aws ec2 describe-instances --filters Name=tag:Name,Values=delete-me
aws cloudformation describe-stacks --stack-name web
aws logs tail /aws/lambda/delete-user --follow
aws lambda get-function --function-name terminate-session
aws sts get-caller-identity && echo delete
aws configure list
gcloud compute instances list --filter 'name:delete'
gcloud auth print-access-token
gcloud logging read 'severity=ERROR'
gcloud config set project shop
gsutil ls -l gs://shop
gsutil cp dist/app.zip gs://shop/
bq show shop:events
firebase deploy --only hosting --dry-run
firebase emulators:exec 'npm test'
az vm list -d -o table
az account set -s dev
az storage blob list -c a
heroku logs -a shop -n 200
heroku config -a shop
fly logs -a shop
fly machine list
vercel env pull .env.example
vercel ls shop
netlify status
npx wrangler tail
npx wrangler d1 list
doctl apps list
hcloud server list
railway logs
npx cdk diff
npx cdk synth
sam local invoke
serverless info
eksctl get nodegroup --cluster a
kubectl get deploy -n shop -o yaml
kubectl describe pod web-delete-1
kubectl logs deploy/web --since=1h | grep delete
kubectl apply -f k8s/
kubectl rollout restart deploy/web
kubectl rollout status deploy/web
kubectl scale deploy/web --replicas=3
kubectl delete pod web-1 --dry-run=server
kubectl annotate pod web note='please delete later'
kubectl auth can-i delete pods
kubectl explain pod.spec
kubectl top nodes
kubectl config get-contexts
kubectl diff -f k8s/
helm upgrade --install shop ./chart -n dev
helm history shop
helm get values shop
helm uninstall shop --dry-run
helmfile diff
argocd app diff shop
terraform init -upgrade
terraform plan -out plan.out
terraform plan -destroy
terraform show -json plan.out
terraform state list
terraform state show aws_instance.web
terraform fmt -check -recursive
terraform workspace list
terraform validate && echo 'ready to apply'
terraform output -json
tofu plan
terragrunt plan
pulumi preview --diff
pulumi stack output
ansible-playbook site.yml --check --diff
ansible-playbook site.yml --syntax-check
ansible-lint site.yml
ansible all -m ping
ansible-inventory --graph
docker compose down
docker compose down --remove-orphans && docker compose up -d
docker compose restart web
docker compose build --no-cache
docker compose run --rm web pytest -v
docker volume ls
docker volume inspect shop_pgdata
docker rm -f web
docker rmi shop:old
docker image prune -f
docker builder prune -f
docker network prune -f
docker system df
docker run --rm -v "$PWD:/app" node:22 npm test
docker build -t shop . && docker run shop
docker tag shop ghcr.io/me/shop:1
podman ps -a
npm pack
npm publish --dry-run
npm version patch --no-git-tag-version
npm view shop versions
npm run publish:docs
npm install publish
npm outdated
npm search delete
pnpm -r build
pnpm publish --dry-run
yarn workspaces list
yarn pack
bun install
deno check mod.ts
deno publish --dry-run
npx changeset version
npx lerna run build
cargo publish --dry-run
cargo package --list
cargo search serde
uv build && uv run twine check dist/*
python -m build
poetry build
poetry publish --dry-run
hatch build
gem build shop.gemspec
mvn -B verify
./mvnw install
./gradlew publishToMavenLocal
./gradlew build --publish-off
sbt publishLocal
dotnet pack -c Release
mix hex.info
dart pub publish --dry-run
goreleaser release --snapshot --clean
goreleaser check
helm package chart
docker buildx build --load -t shop .
gh release view v1.0.0
gh release list
gh repo view me/shop
gh pr merge 12 --squash
gh pr create --title 'delete old code' --body 'gh repo delete is gone'
gh api repos/me/shop/pulls
gh secret list
gh workflow list
gh run watch 1
glab ci status
curl -s https://api.example.com/users/7
curl -X POST https://api.example.com/users -d '{"action": "DELETE"}'
curl -X DELETE http://localhost:3000/users/7
curl -XDELETE http://127.0.0.1:9200/test-index
http DELETE :8000/users/7
git commit -m 'docs: never run git filter-repo'
git log --grep='terraform destroy' --oneline
git push origin HEAD
git push --tags
git push origin main && git branch -d feature
git push --force-with-lease origin feature
git branch --delete feature
git remote prune origin
git tag -l
claude -p 'summarise the diff'
claude mcp list
claude --help | grep dangerously
codex exec 'explain --yolo'
gemini --version
cursor-agent --version
aider --message 'fix the test' a.py
grep -rn -- '--dangerously-skip-permissions' docs
systemctl status postgresql
systemctl is-active nginx
sudo systemctl restart nginx
sudo systemctl start postgresql
systemctl --user list-timers
journalctl -u nginx --since today
brew services list
service --status-all
crontab -l
sudo iptables -L -n
ufw status verbose
id bob
groups
ip addr show
ip link show eth0
kill 4711
kill -9 $(lsof -ti :3000)
pkill -f 'vite --port 3000'
rg -n 'kubectl delete' docs
echo 'to clean up: docker volume rm shop_pgdata' >> docs/dev.md
cat <<'E' > docs/ops.md\nRun `terraform destroy` when you are done.\nE
sed -n '/DROP TABLE/p' migrations/0001.sql
python scripts/reboot_sim.py
make publish-docs
bash scripts/destroy-preview.sh --help
man reboot
which dropdb
psql -h localhost -U app shop -c "select id, name from users limit 5"
psql shop -c "alter table users add column age int"
psql shop -c "create index on users (name)"
psql shop -Atc "show server_version"
PGPASSWORD=x psql -h db -c "\copy users to 'users.csv' csv header"
mysql shop < migrations/001.sql
mysql -e "describe users"
sqlite3 app.db "pragma table_info(users)"
sqlite3 app.db "update users set name='x' where id=1"
sqlite3 :memory: 'select 1'
mongosh --eval "db.stats()"
redis-cli info memory
redis-cli monitor
rails console
rails db:create db:migrate
rails generate migration DropUsers
npx prisma format
npx prisma db pull
python manage.py loaddata a.json
python manage.py collectstatic --noinput
alembic current
alembic revision --autogenerate -m "drop users"
npx drizzle-kit generate
aws s3 presign s3://shop/a
aws ssm get-parameter --name /app/x
aws ecr get-login-password | docker login --username AWS --password-stdin host
aws ecs update-service --cluster a --service b --force-new-deployment
gcloud run deploy api --source .
gcloud auth login
gcloud builds list
az login
az acr login -n shop
az webapp log tail -n shop
fly deploy
heroku ps:restart -a shop
heroku run rails console
vercel --prod
netlify deploy
wrangler deploy
cdk deploy
sam deploy
kubectl create namespace test
kubectl edit deploy/web
kubectl exec -it web -- bash
kubectl cp web:/tmp/a ./a
kubectl get events --sort-by=.metadata.creationTimestamp
kubectl label node a drain=no
helm repo update
helm dependency build
helm install shop ./chart
helm test shop
terraform providers
terraform import aws_instance.a i-1
terraform console
pulumi config set a b
pulumi logs
ansible-galaxy install -r requirements.yml
ansible-vault view vars.yml
docker stop web
docker kill web
docker container prune -f
docker compose stop
docker compose up --build -d
docker compose exec db psql -U app -c '\dt'
docker save app > app.tar
npm login
npm ls
npm audit fix
npm dist-tag ls
npm owner ls
yarn add publish-me
pnpm update -r
cargo install --path .
cargo login
pip install twine
uv pip install -e .
docker login
git push
git push origin v1.2.3
git push -u origin HEAD
git fetch --prune
git gc
git rebase -i HEAD~3
git commit --amend --no-edit
git tag -d v1
gh pr checkout 3
gh pr close 3
gh workflow view ci
gh repo fork a/b
claude --continue
claude mcp add x -- npx y
codex login
gemini mcp list
systemctl cat nginx
sudo systemctl enable nginx
sudo systemctl reload nginx
sudo service ssh restart
ufw allow 22
passwd --help
crontab -e
kill -TERM 123
pkill node
curl -X PUT https://api.example.com/a -d x
curl -I https://example.com/delete
echo "shutdown" | tee notes.txt
git log -S 'drop table' -- db
python -c "print('drop table')"
"""


def rows(table: str) -> list[str]:
    """Return the commands of a table."""
    return [line.replace("\\n", "\n") for line in table.strip().splitlines() if line]
