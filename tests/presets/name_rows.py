"""What a sensible developer wants of `guard`, name by name: a table that `test_name_rows` walks.

Written from the principle, without looking at the rules. A row is a verdict and a call: `note` is
allowed with a note, `stop` is asked about or denied, `ask` and `deny` mean just that. `Read` and
`Write` are tools with a path, anything else is a command; `~` is the home.
"""

from __future__ import annotations

ENV_FILES = """
deny   Read .env
deny   Write .env
deny   Read backend/.env.local
deny   Write apps/web/.env.production
deny   Read .env.keys
deny   Write .env.staging.local
deny   cat .env
deny   source .env
deny   grep TOKEN .env.local
deny   cp .env /tmp/env
deny   sed -i s/a/b/ config/.env.production
allow  Read .env.example
allow  Write .env.example
allow  Write backend/.env.sample
allow  Write .env.template
allow  Write .env.dist
allow  Write .env.tpl
allow  Write .env.tmpl
allow  Write .env.j2
allow  Write .env.erb
allow  Write .env.defaults
allow  Write .env.default
allow  Write .env.schema
allow  Write .env.local.example
allow  Write .env.example.local
allow  Write .env.production.sample
allow  Write .env.docker.template
allow  Write .env.development.dist
allow  Write .env-example
allow  Write .env_example
allow  Write .env.stub
allow  Write .env.dummy
allow  Write env.example
allow  Write example.env
allow  Write docker/app.env.example
allow  Write env.sample
allow  Read .env.vault
allow  cat .env.example
allow  cp .env.example .env.sample
allow  diff .env.example .env.template
allow  grep -n TOKEN .env.example
allow  Write src/env.ts
allow  Write src/env.d.ts
allow  Write src/config/env.py
allow  Write vite-env.d.ts
allow  Write .env.d.ts
allow  Write env/dev/main.tf
ask    Read .envrc
ask    Write .envrc
ask    Read .env.test
ask    Read deploy/prod.env
ask    Write docker/web.env
ask    Read .npmrc
ask    Write .npmrc
deny   Read .dev.vars
deny   Write .dev.vars
allow  Write .dev.vars.example
"""

SOURCES_CALLED_SECRETS = """
allow  Write src/secrets/__init__.py
allow  Write src/secrets/mod.rs
allow  Write internal/secrets/store.go
allow  Write lib/secrets/index.ts
allow  Write lib/secrets/index.d.ts
allow  Write app/secrets/page.tsx
allow  Write app/secrets/route.astro
allow  Write src/main/java/com/shop/secrets/Vault.java
allow  Write src/main/kotlin/secrets/Vault.kt
allow  Write App/Secrets/SecretStore.cs
allow  Write app/secrets/vault.rb
allow  Write lib/app/secrets/vault.ex
allow  Write src/secrets/Vault.php
allow  Write src/secrets/vault.zig
allow  Write contracts/secrets/Vault.sol
allow  Write lib/secrets/vault.nim
allow  Write lib/secrets/Vault.pm
allow  Write src/secrets/vault.jl
allow  Write src/secrets/secrets.vue
allow  Write src/secrets/secrets.module.scss
allow  Write src/secrets/CMakeLists.txt
allow  Write src/secrets/README.md
allow  Write docs/secrets/index.mdx
allow  Write docs/secrets/rotation.adoc
allow  Write modules/secrets/main.tf
allow  Write modules/secrets/variables.tf
allow  Write packages/secrets/package.json
allow  Write packages/secrets/go.mod
allow  Write packages/secrets/jest.config.js
allow  Write db/secrets/schema.sql
allow  Read internal/secrets/store_test.go
allow  Write src/lib/secrets.ts
allow  Write lib/secrets.py
allow  Write src/api_keys.py
allow  Write src/credentials/provider.go
allow  Write src/tokens.rs
allow  Write src/password_reset.py
allow  grep -rn Vault src/secrets
allow  ls src/secrets
allow  rg Vault internal/secrets
stop   grep -rn password deploy/secrets
ask    grep -rn PRIVATE keys
allow  Write src/keystore/keystore.go
deny   Read deploy/secrets/db.yaml
deny   Write secrets/prod.json
deny   Read secrets/api_token
deny   Read .secrets/token
deny   cat secrets/db.txt
deny   Read /run/secrets/db_password
"""

SECRET_FILES = """
ask    Read k8s/secret.yaml
ask    Write k8s/secret.yaml
ask    Read deploy/app-secret.yml
ask    Read config/secrets.yml
ask    Read secrets.json
ask    Read secrets.toml
ask    cat k8s/secrets.yaml
allow  Write chart/templates/secret.yaml
allow  Write k8s/sealed-secret.yaml
allow  Write k8s/external-secret.yaml
allow  Read k8s/secret.example.yaml
allow  Read secrets.enc.yaml
allow  Read secrets.sops.yaml
deny   Read .streamlit/secrets.toml
deny   Write .streamlit/secrets.toml
ask    Read settings/secrets.py
allow  Write settings/base.py
allow  Read config/credentials.yml.enc
allow  Read config/credentials/production.yml.enc
deny   Read config/master.key
deny   Read config/credentials/production.key
allow  Write config/database.yml
allow  Write config/application-prod.yml
allow  Write src/main/resources/application-prod.yml
allow  Write src/main/resources/application.properties
allow  Write appsettings.json
allow  Write appsettings.Development.json
ask    Read local.settings.json
ask    Write local.settings.json
ask    Read terraform.tfvars
ask    Read prod.auto.tfvars
ask    Read secret.tfvars
allow  Write env/dev.tfvars
allow  Write terraform.tfvars.example
allow  Write variables.tf
ask    Read terraform.tfstate
ask    Read keystore.properties
ask    Read android/key.properties
allow  Write android/local.properties
allow  Write gradle.properties
allow  Read app/google-services.json
allow  Read ios/GoogleService-Info.plist
deny   Read upload-keystore.jks
deny   Read release.keystore
allow  Read android/app/debug.keystore
deny   Read shop-firebase-adminsdk-x1.json
ask    Read serviceAccountKey.json
ask    Read service-account.json
ask    Read client_secret_123.json
ask    Read credentials.json
ask    Read wp-config.php
ask    Write wp-config.php
allow  Read wp-config-sample.php
ask    Read auth.json
allow  Write .yarnrc.yml
allow  Write .bunfig.toml
allow  Write .cargo/config.toml
allow  Write pip.conf
ask    Read .dockerconfigjson
ask    Read .htpasswd
ask    Read kubeconfig
ask    Read prod.kubeconfig
ask    Read password.txt
ask    Read secrets.txt
deny   Read .vault_pass
deny   Read .vault-password
allow  Write group_vars/all/main.yml
allow  Read group_vars/all/vault.yml
allow  Write src/auth.json.ts
allow  Write public/auth.html
allow  Write .npmignore
allow  Write .nvmrc
allow  Write locales/en/auth.json
allow  Write src/i18n/de/secrets.json
allow  Write messages/password.txt
allow  Read docs/history.md
"""

KEYS = """
deny   Read server.key
deny   Write certs/server.pem
deny   Read privkey.pem
deny   Read certs/localhost-key.pem
deny   Read deploy/id_rsa
deny   Read deploy_id_ed25519
deny   Read AuthKey_ABC.p8
deny   Read store.p12
deny   Read cert.pfx
deny   Read vault.kdbx
deny   cat certs/server.key
deny   Read certs/ca-key.pem
deny   Read certs/private.pem
deny   Read public/server.pem
deny   Read /etc/ssl/private/ssl-cert-snakeoil.key
deny   Read /etc/pki/tls/private/localhost.key
deny   Read certs/client.p12
deny   openssl rsa -in server.key -check
allow  Read id_rsa.pub
allow  Write keys/deploy.pub
allow  Read certs/ca.pem
allow  Read certs/cacert.pem
allow  Read certs/ca-bundle.crt
allow  Read certs/server.crt
allow  Read certs/fullchain.pem
allow  Read certs/chain.pem
allow  Read certs/cert.pem
allow  Read certs/server-cert.pem
allow  Read certs/dhparam.pem
allow  Read keys/jwt_public.pem
allow  Read keys/public.pem
allow  Read /etc/ssl/certs/ca-certificates.crt
allow  Read /etc/ssl/certs/GlobalSign.pem
allow  cat /etc/ssl/cert.pem
allow  Read .venv/lib/python3.12/site-packages/certifi/cacert.pem
allow  Read node_modules/tls/test/key.pem
ask    Read tests/fixtures/server.key
ask    Write tests/fixtures/server.pem
ask    Read spec/fixtures/id_rsa
ask    Read testdata/ca-key.pem
ask    Read examples/tls/server.key
allow  Read tests/fixtures/server.crt
allow  Write tests/test_keys.py
allow  Write src/i18n/keys.json
allow  Write keyboard.ts
"""

HOME_SECRETS = """
deny   Read ~/.ssh/id_ed25519
deny   cat ~/.ssh/config
deny   Read ~/.aws/credentials
deny   Read ~/.netrc
deny   Read ~/.pypirc
deny   Read ~/.docker/config.json
deny   Read ~/.kube/config
deny   Read ~/.config/gh/hosts.yml
deny   Read ~/.config/glab-cli/config.yml
deny   Read ~/.config/gcloud/application_default_credentials.json
deny   Read ~/.config/containers/auth.json
deny   Read ~/.config/rclone/rclone.conf
deny   Read ~/.config/composer/auth.json
deny   Read ~/.composer/auth.json
deny   Read ~/.cargo/credentials.toml
deny   Read ~/.gem/credentials
deny   Read ~/.m2/settings-security.xml
ask    Read ~/.m2/settings.xml
ask    Read ~/.gradle/gradle.properties
ask    Read ~/.npmrc
deny   Read ~/.s3cfg
deny   Read ~/.boto
deny   Read ~/.databrickscfg
deny   Read ~/.kaggle/kaggle.json
deny   Read ~/.cache/huggingface/token
deny   Read ~/.oci/config
deny   Read ~/.fly/config.yml
deny   Read ~/.config/stripe/config.toml
deny   Read ~/.config/op/config
deny   Read ~/.config/hub
deny   Read ~/.claude/.credentials.json
deny   Read ~/.codex/auth.json
deny   Read ~/.gemini/oauth_creds.json
deny   Read ~/.qwen/oauth_creds.json
deny   Read ~/.local/share/opencode/auth.json
deny   Read ~/.config/github-copilot/apps.json
ask    Read ~/.config/acme/token
ask    Read ~/.bash_history
ask    Read ~/.zsh_history
ask    cat ~/.psql_history
ask    tail -50 ~/.local/share/fish/fish_history
deny   Read ~/.mozilla/firefox/a.default/logins.json
deny   Read ~/.config/google-chrome/Default/Cookies
deny   Read ~/.config/chromium/Default/Cookies
deny   Read ~/Library/Application Support/Google/Chrome/Default/Cookies
deny   Read ~/Library/Keychains/login.keychain-db
deny   Read ~/.config/solana/id.json
deny   Read /etc/shadow
deny   Read /etc/ssh/ssh_host_ed25519_key
allow  Read /etc/ssh/ssh_host_ed25519_key.pub
allow  Read ~/.bashrc
allow  Read ~/.gitconfig
allow  Read ~/.config/nvim/init.lua
allow  Read /etc/passwd
allow  Read /etc/hosts
allow  Read ~/.ssh/id_ed25519.pub
"""

BEYOND = """
allow  Write /tmp/probe.py
allow  Write /var/tmp/x
allow  Write ~/.cache/shop/x
allow  Write ~/Library/Caches/shop/x
allow  rm -rf /tmp/build && mkdir /tmp/build
allow  rm -rf ~/.cache/pip
allow  ls ~
allow  cat ../other/src/main.py
allow  pip install requests
allow  pip install --user requests
allow  pip install -e .
allow  npm install -g typescript
allow  apt-get update && apt-get install -y libpq-dev
allow  sudo apt-get install -y jq
allow  brew install jq
allow  cargo install ripgrep
allow  go install ./cmd/shop
allow  git clone https://example.com/a.git /tmp/a
allow  mkdir -p /tmp/a/b && cp README.md /tmp/a/b/
allow  docker build -t shop .
allow  Write ~/.claude/plans/login.md
ask    Write ~/notes.txt
ask    Write ~/.config/acme/config.json
ask    Write ~/.local/share/acme/db.json
ask    Write ~/.local/bin/tool
ask    Write ~/Library/Preferences/com.acme.plist
ask    Write ~/Library/LaunchAgents/com.acme.plist
ask    Write /opt/acme/a.conf
ask    Write /usr/local/bin/acme
ask    Write /etc/hosts
ask    Write /var/www/html/index.html
ask    Write /srv/app/a
ask    Write /Applications/Acme.app/a
ask    Write ../other/src/main.py
ask    Write ~/.bashrc
ask    Write ~/.zshrc
ask    Write ~/.config/fish/config.fish
ask    Write ~/.config/git/config
ask    Write ~/.config/systemd/user/a.service
ask    Write ~/.profile
ask    rm -rf ~/Documents
ask    rm -rf ../other
stop   rm -rf ~
stop   rm -rf /
ask    sudo rm -rf /var/lib/postgresql
ask    chmod -R 777 /usr/local
ask    sudo chown -R dev ~/Documents
ask    mv ~/Documents/thesis.md /tmp/
ask    cp -r dist ~/Documents/
ask    echo x | sudo tee -a /etc/hosts
ask    ln -s "$PWD/bin/shop" /usr/local/bin/shop
ask    install -m 755 src/app.py /usr/local/bin/shop
ask    curl -fsSL https://example.com/x -o ~/bin/x
ask    curl -fsSL https://example.com/install.sh | sh
allow  git config --global user.name x
ask    git config --global core.editor vim
ask    npm config set registry https://example.com
ask    pip config set global.index-url https://example.com
ask    aws configure set region eu-west-1
ask    defaults write com.apple.dock autohide -bool true
ask    gsettings set org.gnome.desktop.interface color-scheme dark
deny   dd if=/dev/zero of=/dev/sda
deny   mkfs.ext4 /dev/sdb1
deny   echo x > /dev/nvme0n1
"""

AGENTS_SETTINGS = """
deny   Write .claude/settings.json
deny   Write .claude/settings.local.json
deny   Write ~/.claude/settings.json
deny   Write ~/.claude.json
deny   Write .claude/hooks/a.sh
deny   Write ~/.codex/config.toml
deny   Write .codex/hooks.json
deny   Write ~/.codex/rules/default.rules
deny   Write .gemini/settings.json
deny   Write ~/.gemini/trustedFolders.json
deny   Write ~/.gemini/policies/a.toml
deny   Write .qwen/settings.json
deny   Write .cursor/hooks.json
deny   Write ~/.cursor/cli-config.json
deny   Write .cursor/cli.json
deny   Write .github/hooks/a.json
deny   Write ~/.copilot/config.json
deny   Write .windsurf/hooks.json
deny   Write ~/.codeium/windsurf/hooks.json
deny   Write .kiro/hooks/a.json
deny   Write .kiro/agents/a.json
deny   Write .clinerules/hooks/PreToolUse
deny   Write opencode.json
deny   Write .opencode/plugins/a.ts
deny   Write ~/.config/opencode/opencode.json
deny   Write .amp/settings.json
deny   Write ~/.config/amp/settings.json
deny   Write penstock.toml
deny   echo '{}' > .claude/settings.json
deny   rm .cursor/hooks.json
allow  Read .claude/settings.json
allow  Read ~/.codex/config.toml
ask    Write .mcp.json
ask    Write .cursor/mcp.json
ask    Write .vscode/mcp.json
ask    Write .kiro/settings/mcp.json
ask    Write .roo/mcp.json
ask    Write packages/a/.mcp.json
allow  Read .mcp.json
allow  Write docs/mcp.json
allow  Read opencode.json
"""

NOTES = """
note   Write CLAUDE.md
note   Write AGENTS.md
note   Write packages/a/AGENTS.md
note   Write GEMINI.md
note   Write QWEN.md
note   Write .claude/commands/fix.md
note   Write .claude/agents/review.md
note   Write .claude/skills/a/SKILL.md
note   Write .cursor/rules/style.mdc
note   Write .cursorrules
note   Write .windsurfrules
note   Write .windsurf/rules/a.md
note   Write .clinerules/a.md
note   Write .clinerules
note   Write .kiro/steering/product.md
note   Write .github/copilot-instructions.md
note   Write .github/instructions/a.instructions.md
note   Write .github/prompts/a.prompt.md
note   Write .github/agents/a.agent.md
note   Write .github/chatmodes/a.chatmode.md
note   Write .opencode/agent/review.md
note   Write .opencode/command/fix.md
note   Write .gemini/commands/fix.toml
note   Write .qwen/commands/fix.md
note   Write .codex/prompts/fix.md
note   Write .agents/skills/a/SKILL.md
note   Write .aider.conf.yml
note   Write .roo/rules/a.md
note   Write .junie/guidelines.md
note   Write .github/workflows/ci.yml
note   Write .github/actions/setup/action.yml
note   Write .gitlab-ci.yml
note   Write .circleci/config.yml
note   Write Jenkinsfile
note   Write azure-pipelines.yml
note   Write bitbucket-pipelines.yml
note   Write .travis.yml
note   Write .woodpecker.yml
note   Write .forgejo/workflows/ci.yml
note   Write .gitea/workflows/ci.yml
note   Write cloudbuild.yaml
note   Write buildspec.yml
note   Write appveyor.yml
note   Write .cirrus.yml
note   Write Dockerfile
note   Write docker/Dockerfile.prod
note   Write api.dockerfile
note   Write Containerfile
note   Write docker-compose.prod.yml
note   Write compose.override.yaml
note   Write .husky/pre-commit
note   Write .githooks/pre-push
note   Write lefthook.yml
note   Write .pre-commit-config.yaml
note   Write .overcommit.yml
note   Write .vscode/tasks.json
note   Write .devcontainer/devcontainer.json
allow  Write README.md
allow  Write src/app.py
allow  Write Makefile
allow  Write package.json
allow  Write .gitignore
allow  Write .gitattributes
allow  Write .editorconfig
allow  Write .vscode/launch.json
allow  Write .github/ISSUE_TEMPLATE/bug.md
allow  Write .github/dependabot.yml
allow  Write .github/CODEOWNERS
allow  Write .kiro/specs/login/design.md
allow  Write docs/agents.md
allow  Write .claude/plans/a.md
"""

MIXED = """
allow  Write .env.production.example
allow  Write config/.env.test.template
allow  Write docker/.env.sample
deny   Read services/api/.env
deny   tail -5 .env.production
deny   Write .env.prod
deny   cp .env .env.backup
allow  Write app/config/env.rb
allow  Write src/secrets_manager/client.py
allow  Write pkg/secret/secret.go
allow  Write src/components/SecretsTable.tsx
allow  Write test/secrets_test.exs
ask    Write internal/secrets/testdata/a.golden
allow  Write api/secrets/v1/secrets.proto
allow  Write ui/src/secrets/styles.css
allow  Write terraform/modules/secrets/outputs.tf
note   Write .github/workflows/secrets-scan.yml
deny   Read secrets/prod/api-key
deny   Write infra/secrets/values.yaml
ask    Read helm/values-secrets.yaml
ask    Read overlays/prod/db-secret.yaml
allow  Write helm/values.yaml
allow  Write helm/templates/db-secret.yaml
allow  Write k8s/configmap.yaml
allow  Write application.yml
allow  Write config/production.json
allow  Write settings/production.py
allow  Write docker-entrypoint.sh
allow  Read package-lock.json
deny   Write package-lock.json
allow  Read Cargo.lock
allow  Write tokens.css
allow  Write src/tokenizer.py
allow  Write design-tokens.json
allow  Write src/auth/token.ts
allow  Write credentials.ts
ask    Read gcp-credentials.json
deny   Read .aws/credentials
deny   Read certs/tls.key
allow  Read certs/tls.crt
deny   Read jwtRS256.key
allow  Read jwtRS256.key.pub
deny   Read ssl/privkey1.pem
allow  Read ssl/fullchain1.pem
ask    Read test/certs/key.pem
ask    Read e2e/fixtures/jwt.key
allow  Write src/crypto/pem.go
allow  Write public/keys.html
deny   Read ~/.gnupg/private-keys-v1.d/a.key
deny   cat ~/.aws/config
deny   Read ~/.git-credentials
deny   Read ~/.password-store/a.gpg
deny   Read ~/.config/sops/age/keys.txt
deny   Read ~/.azure/accessTokens.json
deny   Read ~/.terraform.d/credentials.tfrc.json
ask    Read ~/.python_history
allow  Read ~/.vimrc
allow  Read ~/.tmux.conf
allow  Read ~/.config/git/ignore
allow  Read ~/.cargo/config.toml
allow  Read ~/go/pkg/mod/x/y.go
allow  Read /usr/lib/python3/dist-packages/x.py
allow  Read /proc/cpuinfo
allow  Read /var/log/syslog
allow  Read /etc/os-release
allow  Read /etc/nginx/nginx.conf
allow  cat ~/.local/share/applications/x.desktop
ask    Write ~/Desktop/report.md
ask    Write ~/.ssh_config_backup
ask    Write ~/.config/nvim/init.lua
ask    Write /etc/nginx/sites-enabled/x
ask    touch ~/x
ask    mkdir -p ~/projects/new && echo x > ~/projects/new/a
ask    mv dist ~/old-dist
ask    cp src/app.py ../other/src/
ask    rm ~/Downloads/a.zip
ask    tar xf a.tar -C ~/tools
ask    rsync -a dist/ /var/www/html/
allow  rsync -a dist/ /tmp/out/
allow  cp dist/app.js /tmp/
allow  npm link
allow  pipx install black
allow  uv tool install ruff
allow  brew upgrade
allow  sudo dnf install -y gcc
allow  sudo apt remove -y foo
allow  gem install rails
allow  docker compose up -d
allow  code .
allow  open https://example.com
allow  xdg-open index.html
deny   Write ~/.gemini/settings.json
deny   sed -i s/a/b/ ~/.codex/config.toml
deny   Write .devin/hooks.json
note   Write .github/workflows/release.yaml
note   Write Dockerfile.dev
note   Write .cursor/commands/x.md
note   Write .claude/rules/a.md
note   Write .windsurf/rules/x.md
allow  Write .prettierrc
allow  Write .eslintrc.cjs
allow  Write tsconfig.json
allow  Write .vscode/extensions.json
allow  Write .idea/workspace.xml
allow  Write CONTRIBUTING.md
allow  Write docs/CLAUDE-guide.md
"""

TABLES = {
    "env files": ENV_FILES,
    "sources called secrets": SOURCES_CALLED_SECRETS,
    "secret files": SECRET_FILES,
    "keys": KEYS,
    "secrets in the home": HOME_SECRETS,
    "beyond the project": BEYOND,
    "agents' settings": AGENTS_SETTINGS,
    "notes": NOTES,
    "a bit of everything": MIXED,
}


def rows() -> list[tuple[str, str, str]]:
    """Return every row: its table, the verdict and the call."""
    found = []
    for name, table in TABLES.items():
        for line in filter(None, table.splitlines()):
            verdict, _, call = line.partition(" ")
            found.append((name, verdict, call.strip()))
    return found
