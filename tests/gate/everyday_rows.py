"""Everyday commands of the same families, which nobody is asked about.

One line is one command, judged in the project of `read_place`.
"""

from __future__ import annotations

EVERYDAY: dict[str, str] = {
    "lists": r"""
xargs cat < sources.txt
xargs -a sources.txt wc -l
cat sources.txt | xargs wc -l
cat $(cat sources.txt)
cat $(<sources.txt)
for f in $(cat sources.txt); do echo "$f"; done
while read -r f; do wc -l "$f"; done < sources.txt
while read -r f; do ls -l "$f"; done < names.txt
mapfile -t a < sources.txt; wc -l "${a[@]}"
tar -cf /tmp/a.tar -T sources.txt
tar tf /tmp/a.tar
rsync -a --files-from=sources.txt . /tmp/x/
rsync -a --exclude-from=.gitignore src/ /tmp/x/
zip /tmp/x.zip -@ < sources.txt
cpio -o < sources.txt > /tmp/a.cpio
7z a /tmp/x.7z @sources.txt
parallel echo ::: 1 2 3
git add --pathspec-from-file=sources.txt
cat names.txt
head names.txt
sort -u names.txt
grep env names.txt
wc -l < names.txt
ls $(cat names.txt)
xargs ls -l < names.txt
xargs -n1 basename < names.txt
cat names.txt | xargs stat
cat .gitignore | grep -v '^#'
while read -r p; do echo "ignored: $p"; done < .gitignore
docker build -t app:$(cat VERSION) .
git tag v$(cat VERSION)
git tag -a "v$(cat VERSION)" -m "Release"
npm version $(cat VERSION)
nvm use $(cat .nvmrc)
echo "version: $(cat VERSION)"
V=$(cat VERSION); echo $V
read -r V < VERSION; echo "$V"
find . -name '*.py' | xargs cat
find . -name '*.py' -print0 | xargs -0 wc -l
find src -type f | xargs grep -n TODO
find . -name '*.md' -exec head -2 {} \;
find . -type f -name '*.js' -not -path './node_modules/*' | xargs wc -l
find . -type f | wc -l
find . -type f | head -20
find . -type f -size +1M
find . -name '*.py' | while read f; do head -1 "$f"; done
git ls-files | xargs wc -l
git ls-files '*.py' | xargs cat
git ls-files -o --exclude-standard
git ls-files -o --exclude-standard | head
git diff --name-only | xargs cat
git diff --name-only HEAD~1 | xargs ruff check
git diff --name-only --cached | xargs -r prettier --check
ls src | xargs -I{} echo {}
ls *.md | xargs cat
ls -A | wc -l
fd -e py | xargs wc -l
rg -l TODO | xargs sed -n 1p
rg --files src | xargs wc -l
grep -rl TODO src | xargs cat
grep -rl "def " --include='*.py' . | xargs wc -l
echo src/app.py | xargs cat
printf '%s\n' a b c | xargs -n1 echo
seq 3 | xargs -I{} echo {}
frobnicate --files-from sources.txt
frobnicate @sources.txt
frobnicate --list sources.txt
""",
    "environment": r"""
docker compose up -d
docker compose up --build
docker compose down
docker compose ps
docker compose logs -f web
docker compose build web
docker compose pull
docker compose restart web
docker compose --env-file .env up -d
docker compose --env-file .env.local build
docker compose config --services
docker compose config --quiet
docker compose config -q
docker compose config --images
docker compose config --volumes
docker compose run --rm web pytest -q
docker compose run --rm web npm test
docker compose run --rm web sh -c 'npm ci && npm test'
docker compose exec web ls -la
docker compose exec web python manage.py migrate
docker compose exec -T db pg_dump -U postgres app > /tmp/dump.sql
docker compose exec db psql -U postgres -c 'select count(*) from orders'
docker run --rm --env-file .env app:dev npm test
docker run --rm --env-file .env app:dev
docker run -d --env-file .env -p 3000:3000 --name web app:dev
docker run --rm alpine env
docker run --rm -e A=1 alpine printenv A
docker exec web ls /app
docker exec -it web bash
docker inspect web
docker logs web --tail 50
direnv allow
direnv status
direnv reload
direnv exec . npm test
direnv exec . make build
eval "$(direnv hook bash)"
eval "$(direnv export bash)" && npm test
eval "$(direnv export bash)"; set -e; export A=1
eval "$(mise env)" && make build
dotenv run -- pytest -q
dotenv run -- python manage.py runserver
dotenv -e .env -- npm test
dotenv -e .env.local -- node server.js
npx dotenv -e .env -- next build
npx dotenv-cli -e .env -- prisma migrate dev
npx env-cmd -f .env npm start
npx env-cmd npm run build
dotenvx run -- node server.js
dotenvx run -f .env -- npm start
foreman start
foreman run rails server
honcho start
honcho run python app.py
heroku local
heroku local web
heroku logs --tail
nf start
node --env-file=.env server.js
node --env-file .env --watch server.js
node --env-file=.env --test
node -r dotenv/config server.js
node -r dotenv/config --test
node -e "require('dotenv').config(); require('./server.js')"
node -e "console.log(process.env.NODE_ENV)"
node -p process.version
node -p "process.env.PATH"
bun run dev
bun --env-file=.env run dev
bun test
bun run build
deno run --env-file=.env -A main.ts
deno task dev
pipenv run pytest
pipenv run python app.py
pipenv install
uv run --env-file .env pytest
uv run --env-file .env uvicorn app:app
poetry run pytest
op run --env-file=.env -- npm start
mise install
mise exec -- node server.js
env
env | sort
env | grep -c .
env NODE_ENV=test npm test
printenv
printenv PATH
printenv | grep NODE
export -p | head
export PATH="$PWD/bin:$PATH"
set -a; FOO=1; set +a
echo $HOME
echo "$NODE_ENV"
uvicorn app:app --env-file .env
gunicorn --env A=1 app:app
flask --env-file .env run
flask run
python manage.py runserver
npm run dev
npm start
npm run build
yarn dev
pnpm dev
next dev
npx next dev
npx vite
npx vite --port 3000
vite build
vite preview
npx astro dev
npx webpack serve
npx nuxi dev
ng serve
rails server
bin/rails s
php artisan serve
php artisan migrate
hugo server
jekyll serve
mkdocs serve
mdbook serve
npx docusaurus start
npx storybook dev -p 6006
streamlit run src/app.py
jupyter lab --no-browser
uvicorn app:app --reload
cargo run
go run ./cmd/server
docker compose -f docker-compose.yml up -d
kubectl create secret generic app --from-literal=a=b --dry-run=client -o yaml
kubectl get secrets
kubectl get pods -o wide
kubectl describe pod web
kubectl logs deploy/web
kubectl apply -f k8s/deploy.yaml
kubectl apply -k k8s
kubectl diff -f k8s/deploy.yaml
kubectl exec web -- ls /app
kubectl exec -it web -- bash
kubectl config get-contexts
kubectl config current-context
kubectl config view
kubectl port-forward svc/web 8080:80
kubectl rollout status deploy/web
helm template charts/web
helm template web charts/web -f charts/web/values.yaml
helm upgrade --install web charts/web
helm lint charts/web
helm list
terraform init
terraform plan
terraform -chdir=infra plan
terraform validate
terraform fmt -check
terraform state list
terraform -chdir=infra state list
terraform workspace show
terraform output
terraform version
ansible-playbook -i hosts site.yml
ansible-playbook site.yml --check
ansible all -m ping
ansible-lint site.yml
vault status
vault token lookup
sops --version
op --version
gh auth status
aws sts get-caller-identity
aws s3 ls
aws s3 ls s3://b/
aws s3 cp data.csv s3://b/
aws s3 sync dist s3://b/site
aws s3 sync public/ s3://b/ --delete
aws s3 cp s3://b/x.csv /tmp/
aws configure list
aws configure get region
aws ec2 describe-instances
aws lambda invoke --function-name f out.json
aws logs tail /aws/lambda/f --since 1h
gcloud config list
gcloud auth list
gcloud projects list
gcloud run deploy web --source .
gcloud builds submit --tag gcr.io/p/app
gsutil ls gs://b
gsutil cp data.csv gs://b/
gsutil -m rsync -r dist gs://b
az account show
az group list
az storage blob upload -f data.csv -c c -n n
ps aux
ps -ef | grep node
ps -e
pgrep -fl node
cat /proc/cpuinfo
cat /proc/meminfo
cat /proc/self/status
ls /proc/self/fd
systemctl status nginx
journalctl -u web --since today
""",
    "servers": r"""
python3 -m http.server --directory public 8000
python3 -m http.server -d dist
cd public && python3 -m http.server 8000
(cd dist && python3 -m http.server 9000 &)
python3 -m http.server --help
npx serve dist
npx serve -s dist -l 5000
npx serve public
npx http-server public -p 8080
npx http-server ./dist --cors
npx live-server public
php -S localhost:8000 -t public
php -S localhost:8000 -t public public/index.php
ruby -run -e httpd public -p 8080
busybox httpd -f -p 8080 -h public
caddy file-server --root public
caddy run
caddy validate
caddy fmt --overwrite Caddyfile
miniserve public
rclone serve http public
rclone ls remote:
twistd -n web --path public
nginx -t
nginx -s reload
nc -zv localhost 5432
nc -l 9000 > /tmp/x
nc -w1 localhost 8080 < data.json
socat TCP-LISTEN:8080,fork TCP:localhost:3000
socat - TCP:localhost:6379
curl -s http://localhost:8000/
curl -s localhost:8000/api/v1/users
curl -I http://localhost:3000/health
curl http://localhost:8000/env
wget -qO- http://localhost:8000/healthz
ngrok http 3000
deno run -A jsr:@std/http/file-server public
""",
    "coreutils": r"""
cat README.md src/app.py
cat -n src/app.py
nl src/app.py
tail -n +2 data.csv
base64 photo.png
base64 --decode /tmp/x.b64
md5sum *.md
cp README.md /tmp/
cp .env.example /tmp/e
install -m 755 scripts/build.sh /tmp/build
split -l 100 data.csv /tmp/part-
join data.csv data.csv
tr a-z A-Z < README.md
cut -d, -f2 data.csv
uniq -c files.txt
fmt -w 72 README.md
shuf -n 5 data.csv
truncate -s 0 /tmp/log
stat -c %s .env
test -s .env && echo nonempty
wc -l .env
file keys/*
logger -t app "see .env"
echo "Create a .env file" >> README.md
cat <<< "hello .env"
env -C src ls
nice make test
time pytest -q
""",
    "text": r"""
less README.md
bat --style=plain src/main.js
lynx -dump https://example.com
zcat /var/log/syslog.1.gz
grep -rn TODO src tests
grep -rn 'process.env' src
grep -q TOKEN .env
grep -rn password src --include='*.py'
grep -L license -r src
grep -v '^#' .gitignore
grep -n "env" docker-compose.yml
grep -rnw total .
rg TODO -g '*.py'
rg -n password src
rg --hidden -g '!.git' "name:" .github
rg SECRET_KEY -t py
ag TODO
git grep TOKEN
git grep -l password
sed -n 1,20p src/app.py
sed 's/a/b/' README.md
sed -e '1d' data.csv
sed -n '$p' sources.txt
awk 'NR>1' data.csv
awk -v n=3 'NR==n' README.md
perl -ne 'print if /x/' src/util.py
perl -MJSON -e 'print 1'
cut -c1-80 README.md
csvlook data.csv
xsv headers data.csv
jq -r '.name' package.json
jq --arg v 1 '.version=$v' package.json
jq '.env' data.json
yq e '.a' k8s/deploy.yaml
xmllint --format /tmp/x.xml
xxd photo.png | head -2
diff src/app.py src/util.py
diff -r src /tmp/src
diff .env.example /tmp/env.example
cmp -s .env .env.local
vimdiff src/app.py src/util.py
typos
""",
    "editors": r"""
vim src/app.py
nvim --headless +qa
ed -s notes.txt <<< ',p'
emacs --batch -f batch-byte-compile init.el
code src/app.py
cursor .
""",
    "archives": r"""
tar czf /tmp/src.tgz src
tar czf /tmp/p.tgz --exclude=.env .
zip -r /tmp/site.zip dist public
unzip -p /tmp/src.zip src/app.py
gzip -dc /tmp/x.gz
xz -k data.csv
bzip2 -c data.csv > /tmp/d.bz2
ar t /tmp/libx.a
jar tf app.jar
git archive --format=zip -o /tmp/x.zip HEAD
""",
    "encode": r"""
openssl rand -base64 32
openssl x509 -in cert.crt -noout -dates
openssl enc -base64 -in photo.png
gpg --list-keys
gpg --armor --export me
ssh-keygen -lf ~/.ssh/id_ed25519.pub
ssh-add -l
cat keys/deploy.pub
age --version
keytool -list
""",
    "interpreters": r"""
python3 -c "print(1)"
python3 -c "print(open('README.md').read())"
python3 -c "import os; print(os.environ.get('PATH'))"
python3 -c "import os; print(os.path.isfile('.env'))"
python3 -c "from pathlib import Path; print(Path('src/app.py').read_text())"
python3 -c "from dotenv import load_dotenv; load_dotenv(); from src import app"
python3 -c "import subprocess; print(subprocess.check_output(['git','status']))"
python3 -c "import zipfile; print(zipfile.ZipFile('/tmp/x.zip').namelist())"
python3 -c "import configparser as p; c=p.ConfigParser(); c.read('setup.cfg'); print(c.sections())"
python3 -c "import secrets; print(secrets.token_hex(16))"
python3 -m json.tool data.json
python3 -m venv /tmp/venv
python3 -m compileall src
python3 -m timeit "sum(range(10))"
python3 -m cProfile src/app.py
python3 src/app.py --config config/app.toml
python3 - <<< "print(1)"
ipython -c "1+1"
node -e "console.log(require('./package.json').version)"
node -e "console.log(require('fs').existsSync('.env'))"
node -e "console.log(require('path').join('a','b'))"
node -e "console.log(Object.keys(process.env).length)"
node -p "require('./package.json').scripts"
node --check src/main.js
node -r ./setup.js src/main.js
npx ts-node src/main.ts
bun -e "console.log(1)"
deno fmt --check
ruby -e 'puts File.read("README.md")'
ruby -c x.rb
bundle exec rspec
php -l index.php
php artisan tinker --execute="echo User::count();"
lua -e 'print(1)'
R --version
elixir -e 'IO.puts 1'
groovy -e 'println 1'
swift build
gcc -o /tmp/a main.c
go run main.go
go build ./...
cargo test
bc <<< '1+2'
gnuplot plot.gp
make -n run
make --version
cmake --build build
bash -n scripts/build.sh
sh -c 'echo hi'
busybox ls
""",
    "database": r"""
sqlite3 app.db '.tables'
sqlite3 app.db < backup.sql
sqlite3 -header -csv app.db 'select 1'
psql -c 'select 1'
psql -d app -c '\dt'
psql -c "\copy orders from 'data.csv' csv"
psql -c "update users set env = '.env' where id = 1"
mysql -u root -e 'select 1' app
mysqldump app > /tmp/dump.sql
duckdb -c "select * from 'data.csv'"
mongosh --eval 'db.stats()'
redis-cli get key
redis-cli --scan --pattern 'env:*'
""",
    "network": r"""
curl https://example.com
curl -d 'a=b' https://example.com
curl --json '{"a":1}' localhost:8000
curl -T data.csv https://example.com/x
curl -b session=abc localhost:8000
curl -G --data-urlencode 'q=hello world' localhost:8000
curl file:///etc/hostname
wget https://example.com/a.tgz -O /tmp/a.tgz
wget -q -O - localhost:8000
http POST localhost:8000 a=b
http localhost:8000 X-Key:abc
scp -r dist host.example:/srv/app
sftp -b - host.example <<< 'put dist/app.js'
rsync -av --exclude=.env --exclude=node_modules ./ host.example:/srv/app/
rsync -a src/ /tmp/src/
ssh host.example 'cd /srv/app && git pull && docker compose up -d'
ssh host.example 'ls -la /srv/app/.env'
ssh -i ~/.ssh/id_ed25519 -L 5432:localhost:5432 host.example
gh pr create --fill
gh pr create --body-file docs/guide.md --title x
gh pr diff 12
gh issue create --title "Docs: .env" --body "x"
gh release create v1.0 dist/app.js --notes x
gh api repos/o/r/issues
gh run watch
gh workflow run ci.yml
gh secret set API_TOKEN --body x
gh repo clone o/r /tmp/r
rclone copy dist remote:site
xclip -sel c < README.md
cat README.md | pbcopy
tmux ls
netlify deploy --dir=dist --prod
vercel env ls
fly status
wrangler dev
npx surge dist
crontab -l
""",
    "containers": r"""
docker build -t app .
docker buildx build --platform linux/amd64 -t app .
docker cp web:/app/dist /tmp/dist
docker run --rm -v $PWD:/w -w /w node:20 npm ci
docker run --rm -v $PWD/src:/src alpine ls /src
docker run --rm -p 5432:5432 -e POSTGRES_PASSWORD=x postgres
docker images
docker system df
docker save app -o /tmp/app.tar
docker push r/app
podman ps
kubectl get all -n dev
kubectl create configmap x --from-file=config/app.toml
kustomize build k8s
""",
    "documents": r"""
pandoc README.md -o /tmp/r.html
pdftotext doc.pdf - | head
magick identify photo.png
exiftool photo.png
wkhtmltopdf index.html /tmp/x.pdf
npx playwright test
pygmentize src/app.py
hyperfine 'python src/app.py'
ls src/*.py | entr -c pytest
""",
    "packages": r"""
npm ci
npm install lodash
npm publish --dry-run
npm config list
npm test -- --watch=false
npm ls --depth 0
npx -y create-vite@latest /tmp/app
npx prettier --check README.md
npx eslint src/main.js
npx vitest run
npx tailwindcss -i src/in.css -o dist/out.css
pnpm install
yarn install --frozen-lockfile
bunx cowsay hi
pip install -e .
pip show flask
uv sync
uvx ruff check .
poetry install
cargo clippy
go test ./... -run TestEnv
dotnet run
mvn test
shellcheck scripts/build.sh
clang-format --dry-run main.c
black --check src
ruff format src
gofmt -l .
mypy src
pylint src
yamllint k8s/deploy.yaml
actionlint
envsubst < k8s/deploy.yaml
dotenv-linter .env
detect-secrets scan
trivy fs .
snyk test
""",
    "git": r"""
git show HEAD:README.md
git show
git cat-file -t HEAD
git diff --stat HEAD~1
git log -p -1
git log -S TOKEN --oneline
git log --stat
git stash show -p
git add -A
git add src tests
git commit -m "Load .env in dev"
git commit -am "x"
git notes add -m x
git archive HEAD | tar t
git config user.name
git grep --no-index TODO src
git check-ignore -v .env
git ls-files -s
git status --ignored
git difftool --no-prompt HEAD -- src/app.py
git remote -v
git submodule status
git reflog
git describe --tags
""",
    "mixed": r"""
git status && git diff --stat
cat pyproject.toml 2>/dev/null || cat setup.py
find . -type f -name "*.ts" -not -path "*/node_modules/*" | head -50
find . -name "*.py" -exec grep -l "import requests" {} \;
find src -name '*.py' -newer README.md
find . -name "*.json" -path "*config*" | xargs cat
find . -name "docker-compose*" -o -name "Dockerfile*"
grep -rn "process.env.API_TOKEN" src
grep -rn "getenv\|environ" --include=*.py .
grep -n "def test_" tests/*.py
grep -i "error" /tmp/app.log | tail -20
grep -l "class" src/*.py
grep -n env_file docker-compose.yml
rg -n "token" src -g '*.py'
rg --files | rg test
rg -n --no-heading "def " src | head
[ -f .env ] && echo "env exists" || echo "missing"
wc -l .env .env.example
stat -f %z .env 2>/dev/null || stat -c %s .env
sed -i 's/API_TOKEN=.*/API_TOKEN=/' .env.example
python -c "import os; print('API_TOKEN' in os.environ)"
python3 -c "import yaml; print(yaml.safe_load(open('docker-compose.yml')))"
python3 -c "from src.app import main; print(main)"
python3 -c "print(open('/etc/hostname').read())"
python3 -c "from pathlib import Path; print(Path('.env').stat().st_size)"
python3 -c "import sqlite3; c=sqlite3.connect('app.db'); print(c.execute('select 1').fetchall())"
python3 -c "import re; print(re.findall(r'\w+', open('README.md').read()))"
python3 -c "import tomllib; print(tomllib.load(open('config/app.toml','rb')))"
python3 -c "import os; os.makedirs('/tmp/x', exist_ok=True)"
python3 -c "import configparser; c=configparser.ConfigParser(); c.read('/etc/x.ini')"
python3 -c "import subprocess; subprocess.run(['pytest','-q'])"
node -e "const p=require('./package.json'); console.log(p.dependencies)"
node -e "console.log(require('fs').readdirSync('src'))"
node -e "fetch('http://localhost:3000/api').then(r=>r.json()).then(console.log)"
node -e "require('dotenv').config(); require('./server.js')"
node -e "console.log('.env')"
node --env-file=.env --import tsx src/main.ts
tsx --env-file=.env src/main.ts
npx prisma migrate dev --name init
npx drizzle-kit push
npx sequelize-cli db:migrate
npx npm-check-updates -u
npx tsc --noEmit -p tsconfig.json
npx vitest run src/foo.test.ts
npx cypress open
npx concurrently "npm run api" "npm run web"
npx kill-port 3000
npx serve@latest -s build
npx rimraf dist
npx lint-staged
npx semantic-release --dry-run
npx nx affected:test
npx wrangler dev
npx netlify dev
npx firebase emulators:start
npx cdk synth
npm run test:unit -- --grep "env"
npm run env:check
npm audit --production
npm pkg get version
npm whoami
npm explain lodash
pnpm --filter web dev
bun run test
bun --hot src/index.ts
deno lint
uv run pytest -x -q
uv pip compile requirements.txt -o /tmp/req.txt
poetry show --tree
pipenv run python -c "print(1)"
tox -e py312
pdm run start
conda env list
flask --app app run --debug
python manage.py shell -c "from app.models import User; print(User.objects.count())"
python manage.py collectstatic --noinput
celery -A app worker -l info
alembic revision --autogenerate -m "add env"
uvicorn app.main:app --host 0.0.0.0 --port 8000
rails db:migrate
bin/rails runner 'puts Rails.env'
bundle install
rspec spec/models
php artisan route:list
php -S localhost:8000 -t public
composer dump-autoload
go test -race ./...
go mod tidy
cargo build --release
cargo fmt --check
mvn -q test
java -jar build/libs/app.jar --spring.profiles.active=dev
dotnet run --project src/App
iex -S mix
flutter test
make build
make clean all
task build
bazel test //...
docker compose up -d db redis
docker compose exec -T db mysql -uroot -proot -e "show tables"
docker compose exec redis redis-cli get env
docker compose exec web ls -la /app/.env
docker compose exec web cat package.json
docker compose logs --tail=100 web | grep ERROR
docker compose run --rm web sh -c "python manage.py test"
docker compose config --services
docker compose --env-file .env --profile dev up -d
docker exec web tail -n 50 /var/log/nginx/error.log
docker run --rm -v "$PWD:/app" -w /app composer install
docker run -v ~/.cache:/root/.cache -v $PWD:/w -w /w python:3.12 pip install -r requirements.txt
docker run --rm -v $PWD:/w hadolint/hadolint hadolint /w/Dockerfile
docker run --rm --env-file .env myapp:latest npm run migrate
docker build -t myapp:$(git rev-parse --short HEAD) .
docker build --secret id=npmrc,src=$HOME/.npmrc -t myapp .
docker stats --no-stream
docker volume ls
docker top web
kubectl get pods -A
kubectl exec deploy/web -- python manage.py check
kubectl exec web-0 -- cat /etc/resolv.conf
kubectl get secret app
kubectl apply -f k8s/
kubectl delete pod web-0
kubectl rollout restart deploy/web
helm upgrade --install app charts/web --values charts/web/values.yaml --set image.tag=1.0
terraform -chdir=infra init -backend=false
terraform show /tmp/plan
terraform import x y
ansible-playbook playbooks/site.yml -i inventory/dev
ssh -o BatchMode=yes deploy@example.com 'systemctl status app'
ssh deploy@example.com 'journalctl -u app -n 100'
scp -i ~/.ssh/id_ed25519 dist.tgz deploy@example.com:/srv/
rsync -av --exclude='.env*' --exclude=.git . deploy@example.com:/srv/app
tar czf - --exclude=.env . | ssh deploy@example.com 'cat > /srv/app.tgz'
aws s3 sync dist s3://bucket --delete
aws s3 sync . s3://bucket --exclude '.env*' --exclude '.git/*'
aws ecs update-service --cluster c --service s --force-new-deployment
aws sts get-caller-identity --query Account
gcloud app deploy
az webapp up -n app
heroku run rails db:migrate
vercel deploy --prebuilt
curl -s localhost:3000/api/users | jq '.[0]'
curl -sSf http://localhost:8080/healthz
curl -b /tmp/cookies -c /tmp/cookies localhost:8000/login
curl -H "Authorization: Bearer $TOKEN" https://api.example.com/v1/me
curl -L https://example.com/x.tar.gz | tar tz
wget -qO /tmp/x https://example.com/x
openssl x509 -in /etc/ssl/certs/ca-certificates.crt -noout -subject
psql "$DATABASE_URL" -c "select * from users limit 5"
psql -c "select 'program' as x"
sqlite3 app.db ".schema users"
redis-cli -h localhost keys '*'
mongosh --eval 'db.settings.find({"api.key": 1})'
jq '.env.production' config.json
yq '.services | keys' docker-compose.yml
yq .env k8s/deploy.yaml
tail -f /tmp/app.log &
journalctl -f -u app
ps -eo pid,cmd | head
kill -9 $(lsof -t -i:3000)
env | grep -i node
printenv NODE_ENV
export API_URL=http://localhost:3000
source .venv/bin/activate && python -m pytest
. "$HOME/.cargo/env"
cat /etc/os-release
cat ~/.bashrc | head
ls ~/.ssh
which docker && docker --version
for d in */; do echo "$d"; done
while IFS=, read -r a b; do echo "$a"; done < data.csv
xargs -n1 pip install < requirements.txt
seq 1 3 | xargs -I{} curl -s localhost:3000/{}
git ls-files | grep -E '\.(py|js)$' | xargs wc -l
git diff --name-only main | xargs -r prettier --check
git grep -n "env" -- '*.md'
git stash list && git stash show -p stash@{0}
git check-ignore -q .env && echo ignored
git clean -ndX
git commit -m "Stop committing .env" -m "See .env.example"
git diff --cached --stat
gh pr create --title "chore: env" --body "Adds FOO to .env.example"
gh run list --limit 5
gh repo view --web
gh auth status
tmux send-keys -t web "npm test" Enter
timeout 60 npm test
code -r src/app.py:10
shfmt -w scripts/build.sh
eslint --fix src
ruff check --fix .
pylint src/app.py
semgrep --config=auto .
gitleaks detect --source .
detect-secrets scan > /tmp/baseline
protoc --python_out=. api.proto
mkdocs build
convert photo.png -resize 100x /tmp/p.png
k6 run load.js
hyperfine 'node src/main.js'
tokei
du -sh * | sort -h
free -m
date +%s
at -l
python3 -m http.server 8000 --directory dist &
""",
    "alike": r"""
grep -rn "auth" .
grep -rn "author" .
grep -rn "private" .
grep -rn "primary_key" .
grep -rn "foreign_key" . --include='*.py'
grep -rn "keyboard" .
grep -rn "monkey" .
grep -rn "class Meta" .
grep -rn "OAuth" .
grep -rn "authenticate" .
grep -rn "useAuth" .
grep -rn "begin" src
grep -rn "version = " .
grep -rni "deprecated" .
grep -rn "localhost:3000" .
grep -rn "process\.env" .
grep -rn "DATABASE_URL" .
grep -rn "import" . | head
grep -rn "def main" . | wc -l
egrep -rn "foo|bar" .
find . -type f -name '*.md' | xargs grep -n TODO
find . -name package.json -not -path '*/node_modules/*' -exec cat {} \;
ssh prod 'ls /srv/app'
ssh prod 'cat /etc/nginx/nginx.conf'
ssh prod "cd /srv/app && cat docker-compose.yml"
ssh prod 'docker ps && docker logs web --tail 20'
ssh prod 'grep ERROR /var/log/app.log | tail'
ssh prod 'echo $PATH; env | head -3'
ssh prod 'cat ~/.bashrc'
ssh prod 'sudo systemctl restart app'
ssh prod <<< 'uptime; df -h'
ssh -N -L 8080:localhost:80 prod
docker exec web cat /app/package.json
docker exec web sh -c 'cat /app/config/app.toml'
docker exec web python -c 'import sys; print(sys.version)'
docker exec -it web psql -c 'select 1'
docker exec web env
docker exec web printenv PATH
docker compose exec web python -c "import django; print(django.VERSION)"
docker compose exec web npm run build
docker compose exec web node -e "console.log(1)"
docker compose run --rm web node -p "process.version"
docker compose exec web sh -c 'echo done'
docker compose exec web sh -c 'npm test; echo $?'
docker run --rm -v $PWD:/w -w /w node:20 node -e "console.log(require('./package.json').name)"
docker run --rm -v $PWD:/w -w /w python:3.12 python src/app.py
docker run --rm -v $PWD:/w -w /w alpine cat README.md
docker run --rm -v $PWD:/w alpine grep -rn TODO /w/src
docker run --rm -v $PWD:/w alpine find /w -name '*.py'
docker run --rm --env-file .env app sh -c 'npm run migrate && npm start'
docker run --rm --env-file .env app node server.js
docker run --rm --env-file .env app node -e "require('./server.js')"
docker run --rm --env-file .env app sh -c 'echo starting; npm start'
docker run --rm -e NODE_ENV=test app env
docker compose --env-file .env config --services
docker compose config --quiet && echo ok
docker compose -f docker-compose.yml config -q
kubectl exec web -- ls -la /app
kubectl exec web -- env
kubectl exec web -- cat /app/package.json
kubectl create configmap app --from-file=config/app.toml --dry-run=client -o yaml
kubectl create secret generic app --from-literal=a=b --dry-run=client -o yaml
kubectl get secret app -o jsonpath='{.metadata.name}'
kubectl delete -f k8s/deploy.yaml
kubectl set image deploy/web web=app:1
kubectl config view --minify
dotenv run -- node -e "console.log(1)"
dotenv run -- python -c "import app; app.main()"
dotenv -e .env -- sh -c 'npm run build'
npx dotenv -e .env -- node -e "require('./server')"
npx env-cmd -f .env node server.js
foreman run rake db:migrate
pipenv run python manage.py shell
op run --env-file=.env -- docker compose up
uv run --env-file .env python -m app
direnv exec . python -c "print(1)"
node --env-file=.env -e "require('./server.js')"
node --env-file=.env -e "console.log(process.env.NODE_ENV)"
node --env-file=.env -p "process.env.PORT"
node -r dotenv/config -e "require('./dist/app.js')"
bun -e "console.log(Bun.version)"
bun -e "console.log(process.env.NODE_ENV)"
python -c "from dotenv import load_dotenv; load_dotenv(); from app import create_app; create_app()"
python -c "from dotenv import load_dotenv; print(load_dotenv('.env'))"
python -c "import os; print(os.path.abspath('.env'))"
python -c "from pathlib import Path; p=Path('.env'); print(p.exists(), p.name)"
python -c "import os; print([f for f in os.listdir('.') if f.startswith('.env')])"
python -c "import glob; print(glob.glob('keys/*'))"
python -c "import os; print(os.listdir('keys'))"
python -c "import os; print(sum(len(fs) for _,_,fs in os.walk('.')))"
python -c "import os; [print(os.path.join(d,f)) for d,_,fs in os.walk('.') for f in fs]"
python -c "import os; print([open(os.path.join('src',f)).read() for f in os.listdir('src')])"
python -c "import pathlib; print([p.read_text()[:10] for p in pathlib.Path('src').rglob('*.py')])"
python -c "import sys; print(open(sys.argv[1]).read())" README.md
python -c "import shutil; print(shutil.which('docker'))"
python -c "import tarfile; print(tarfile.open('/tmp/x.tar').getnames())"
python -c "import zipfile; zipfile.ZipFile('/tmp/x.zip','w').write('README.md')"
python -c "import sqlite3; print(sqlite3.sqlite_version)"
python -c "d={'a.key':1}; print(d['a.key'], d.get('b.key'))"
python -c "import yaml; print(yaml.safe_load(open('k8s/deploy.yaml'))['a'])"
python -c "assert '.env' in open('.gitignore').read()"
python -c "print('.env' in open('.gitignore').read().split())"
python -c "open('.gitignore','a').write('.env.local\n')"
python -c "import re; print(re.sub('.env', '', 'a.env'))"
node -e "console.log(require('fs').readFileSync('.gitignore','utf8').includes('.env'))"
node -e "const fs=require('fs'); console.log(fs.existsSync('.env') ? 'yes' : 'no')"
node -e "const fs=require('fs'); fs.appendFileSync('.gitignore', '.env')"
node -e "const fs=require('fs'); console.log(fs.statSync('.env').size)"
node -e "console.log(require('child_process').execSync('git status').toString())"
node -e "console.log(require('child_process').execSync('ls -la src').toString())"
node -e "const path=require('path'); console.log(path.join(__dirname, '.env'))"
node -e "const k=Object.keys(require('./package.json')); console.log(k)"
node -e "console.log(require('./data.json').api?.key)"
node -e "import('./src/main.js').then(m=>console.log(Object.keys(m)))"
ruby -e 'puts Dir.glob("src/*").map { |f| File.read(f) }'
ruby -e 'puts File.exist?(".env") ? 1 : 0'
ruby -e 'puts Dir.entries("keys")'
php -r 'echo file_exists(".env") ? "y" : "n";'
php -r 'print_r(scandir("src"));'
perl -ne 'print "$ARGV\n" if /x/' src/util.py
perl -e 'print -e ".env" ? "y" : "n"'
rails runner 'puts User.where(key: "x").count'
rails runner 'puts ENV["RAILS_ENV"]'
mongosh --eval 'db.keys.find({ "user.key": "x" })'
psql -c "select * from keys where name = '.env'"
psql -c "copy orders to '/tmp/o.csv'"
psql -c "select path from files where path like '%.env'"
mysql -e "select system_user()"
mysql -e "select * from system limit 1"
redis-cli eval 'return 1' 0
redis-cli --eval script.lua
sqlite3 app.db "select * from env"
ansible all -m shell -a 'ls -la /srv/app'
ansible all -m copy -a 'src=dist/app.js dest=/srv/'
ansible-playbook site.yml -e 'env=prod'
hyperfine --warmup 3 'cat README.md'
npx concurrently "tail -f /tmp/a.log" "npm start"
watchexec -e py 'pytest -q'
entr -c sh -c 'npm test' < sources.txt
fzf --preview 'cat {}' < sources.txt
tmux new -d 'tail -f /tmp/x.log'
nodemon --exec 'node server.js'
pm2 start server.js --name web
supervisorctl status
caddy run --config Caddyfile
nginx -c /etc/nginx/nginx.conf -t
rclone copy dist remote:site --progress
rclone lsf remote:
aws s3 cp dist s3://b --recursive
aws s3 cp README.md s3://b/
aws s3 ls --recursive s3://b
aws lambda invoke --function-name f --payload '{"key": "value"}' /tmp/o
aws ssm get-parameter --name /app/key
gcloud storage cp dist/app.js gs://b
gcloud compute scp dist/app.js vm:
az storage blob upload-batch -s dist -d c
netlify deploy --dir dist
npx surge dist
npx gh-pages -d dist
terraform show -json /tmp/plan
terraform state show aws_instance.web
vault kv list secret/
gpg --export me
gpg --decrypt /tmp/x.gpg
security list-keychains
pass ls
npm config get cache
ps -ef
ps axo pid,args
ps aux --sort=-%mem
ps -p 123 -o args
tar czf - src | ssh prod 'tar xz -C /srv'
tar cf - dist | nc localhost 9000
zip -r - dist | curl -T - https://example.com/x.zip
cat README.md | ssh prod 'cat > x'
git archive HEAD | ssh prod 'tar x -C /srv'
diff -s README.md docs/guide.md
cmp -s .env .env.local && echo same
sdiff -s README.md docs/guide.md
IFS=$'\n'; for f in $(ls src); do wc -l "src/$f"; done
IFS=,; for x in a,b,c; do echo $x; done
IFS=: read -r a b <<< "x:y"; echo $a
while IFS= read -r l; do [[ $l == \#* ]] || echo "$l"; done < requirements.txt
mapfile -t lines < requirements.txt; echo "${#lines[@]}"
readarray -t pkgs < requirements.txt && pip install "${pkgs[@]}"
cat requirements.txt | xargs -n1 pip show
sort sources.txt | uniq | xargs ls -l
for f in $(cat sources.txt); do head -1 "$f"; done
xargs -a sources.txt grep -n print
cat .dockerignore 2>/dev/null | head
rsync -a --exclude-from=.gitignore . /tmp/copy
tar czf /tmp/x.tgz -X .gitignore .
make -f Makefile test
make --eval='x:;@echo hi' x
printf 'all:\n\techo hi\n' | make -f -
curl localhost:8000/static/app.js
curl http://localhost:3000/api/keys
curl http://localhost:3000/env
http localhost:8000/api/token
wget http://localhost:8000/dist/app.js -O /tmp/a.js
frobnicate -m slow
frobnicate -t test -b master
frobnicate -e 'print(1)'
frobnicate --query 'select * from t'
frobnicate --name web --label env=dev
mytool --token abc --key value
mytool --key-file keys/deploy.key
mytool --config-file config/app.toml
mytool --output /tmp/server.log
jest -t 'loads .env'
pytest -k '.env'
pytest -m 'not slow'
mocha -g '.env'
go test -run TestEnv ./...
cargo test env
grep -rn foo $PWD
cd src && grep -r TOKEN "$PWD"
docker run --rm -v $PWD:/src -w /src node:20 grep -rn foo src
python3 -m zipfile -c /tmp/x.zip src/
python3 -m zipfile -l dist/a.zip
python3 -m tarfile -c /tmp/x.tar docs
7zr l x.7z
dpkg -l
dpkg-deb -I x.deb
asar pack dist app.asar
unrar l a.rar
""",
    "listed": r"""
python3 -c "import pathlib;[print(p.read_text()) for p in pathlib.Path('src').rglob('*')]"
python3 -c "import pathlib;[print(p.read_text()) for p in pathlib.Path('.').rglob('*.md')]"
python3 -c "import pathlib;[print(p) for p in pathlib.Path('keys').rglob('*')]"
python3 -c "import glob;[print(open(p).read()) for p in glob.glob('src/*.py')]"
python3 -c "import glob;[print(open(p).read()) for p in glob.glob('config/*')]"
ruby -e "Dir['src/**/*.rb'].each { |f| puts File.read(f) }"
ruby -e "puts Dir['keys/*']"
node -e "require('dotenv').config(); require('./src/main.js')"
node -p "require('./package.json').version"
""",
    "parts of names": r"""
cat "$FILE"
cat $1
cat docs/$NAME.md
cat "$DIR/$f"
cat "src/$name.py"
cat logs/$(date +%F).log
cat ~/.config/$APP/settings.json
cat ~/.${SHELL_NAME}rc
cat config/$ENV.json
cat $HOME/.$tool/README.md
head -5 $(basename $PWD).txt
frobnicate --env=$ENV
cat .github/workflows/$x.yml
cat .en$x.md
cat ".$x"
""",
    "names that are shown": r"""
ls -R src | head
ls -R src | xargs -n1 basename
ls src | xargs -I{} cat src/{}
tree -fi src | grep py
du -a src | sort -n | tail
ls -la | awk '{print $5, $9}'
ls -RA | wc -l
ls -A | xargs -n1 echo
for f in $(ls -A); do echo "$f"; done
compgen -c git | head
compgen -f src/ | xargs cat
node -e "fs.readdirSync('src').map(f => fs.readFileSync('src/'+f)+'')"
node -e "fs.readdirSync('.').filter(f => f.endsWith('.md')).map(f => fs.readFileSync(f)+'')"
ruby -e 'Dir.entries("src").select { |f| f.end_with?(".py") }.map { |f| File.read("src/#{f}") }'
""",
    "kept by a service": r"""
op item list
op whoami
bw status
bw list folders
vault status
vault kv list secret/
vault kv put secret/x a=1
aws secretsmanager list-secrets
aws ssm get-parameter --name /app/version
aws ssm describe-parameters
gcloud secrets list
az keyvault secret list --vault-name y
kubectl get secret x -o name
kubectl get secret x -o jsonpath='{.metadata.name}'
kubectl get secrets -A
kubectl get pods -o json
kubectl get configmap x -o yaml
kubectl get deploy,secret
kubectl describe secret x
heroku config:set A=1
heroku apps
fly secrets list
doppler run -- npm start
doppler secrets --only-names
infisical run -- npm start
sops -e /tmp/a.yaml
sops --version
sops --decrypt --help | head -3
ansible-vault encrypt vars.yml
terraform output
terraform output -json
pulumi config
pulumi stack output
railway status
netlify env:list
stripe listen --forward-to localhost:3000
eb status
heroku run rake db:migrate
""",
}
