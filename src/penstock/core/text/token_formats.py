"""The forms of well-known tokens, as facts: what each begins with, and what follows.

A row is a name and a shape. In a shape everything is literal but `{class:count}`, so many
characters of a class (`CLASSES`), `{class:least-most}` where they are not always as many, and
`{uuid}`. The names and shapes are what the providers
document and what their tokens look like; how they are searched for is `secret_forms`' work.
Always true: every shape has a literal of its own, which is looked for before anything else;
nothing is compiled when this module is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property

from msgspec import Struct

CLASSES = {
    "d": "0-9",
    "x": "0-9a-f",
    "h": "0-9a-fA-F",
    "n": "a-z0-9",
    "N": "A-Z0-9",
    "t": "A-Z2-7",  # base 32
    "c": "A-Za-z",
    "w": "A-Za-z0-9",  # base 62
    "u": "A-Za-z0-9_-",  # base 64 for addresses
    "b": "A-Za-z0-9+/=",  # base 64
    "a": "A-Za-z0-9_.~=+/%-",
}
UUID = "{x:8}-{x:4}-{x:4}-{x:4}-{x:12}"
# A prefix this long that ends in a separator is not met by chance: what follows it may be
# cut short, or longer than it used to be, and is a token all the same.
TELLING, SHORTEST = 4, 12
# These are met in everyday names as well; what follows them must be whole and look random.
EVERYDAY = frozenset(
    ["live_", "access_", "key_", "mat_", "dub_", "rnd_", "act.", "mfa.", "hawk.",
     "api-", "sdk-", "mob-", "key-", "ico-", "API-", "perm:"]
)  # fmt: skip

# Where a provider has several sorts of token, each has a row. A new row has its sign in
# `secret_signs`.
TABLE = r"""
GitHub personal access token          | ghp_{w:36}
GitHub OAuth token                    | gho_{w:36}
GitHub user-to-server token           | ghu_{w:36}
GitHub server-to-server token         | ghs_{w:36}
GitHub refresh token                  | ghr_{w:76}
GitHub fine-grained token             | github_pat_{w:22}_{w:59}
GitLab personal access token          | glpat-{a:20}
GitLab pipeline trigger token         | glptt-{x:40}
GitLab runner token                   | glrt-{u:20}
GitLab runner token (routable)        | glrtr-{a:20}
GitLab workspace token                | glwt-{u:20}
GitLab runner registration token      | GR1348941{u:20}
GitLab deploy token                   | gldt-{u:20}
GitLab feed token                     | glft-{u:20}
GitLab incoming mail token            | glimt-{u:25}
GitLab agent token                    | glagent-{u:50}
GitLab SCIM token                     | glsoat-{u:20}
GitLab CI job token                   | glcbt-{x:2}_{u:20}
GitLab feature flags token            | glffct-{u:20}
GitLab OAuth secret                   | gloas-{x:64}
Bitbucket app password                | ATBB{w:32}
Atlassian API token                   | ATATT3{a:186}
Atlassian access token                | ATCTT3{a:180}
Atlassian admin key                   | ATOA{a:180}
Atlassian scoped token                | ATSTT3{a:180}
Trello token                          | ATTA{w:60}
Sourcegraph access token              | sgp_{x:16}_{x:40}
Sourcegraph dotcom user token         | sgd_{x:64}
Sourcegraph license key               | slk_{x:64}
AWS access key id                     | AKIA{t:16}
AWS temporary key id                  | ASIA{t:16}
AWS bearer token                      | ABIA{t:16}
AWS context credential                | ACCA{t:16}
AWS Bedrock API key                   | ABSK{b:109}
AWS session token                     | IQoJb3JpZ2lu{b:80}
AWS session token (older)             | FwoGZXIvYXdz{b:80}
AWS marketplace (MWS) token           | amzn.mws.{uuid}
AWS Cognito OAuth secret              | amzn1.oa2-cs.v1.{x:64}
Google API key                        | AIza{u:35}
Google OAuth access token             | ya29.{u:60}
Google OAuth client secret            | GOCSPX-{u:28}
Google refresh token                  | 1//0{u:60}
Google authorization code             | 4/0A{u:60}
Google AI Studio key                  | AQ.Ab8{u:40}
Google Cloud messaging key            | AAAA{u:7}:APA91b{u:134}
Azure client secret                   | {w:3}{d:1}Q~{a:31}
Azure DevOps token                    | {w:76}AZDO{w:4}
Azure storage key                     | {b:76}+ASt{b:6}
Azure container registry key          | {b:42}+ACR{b:6}
Azure Event Hubs key                  | {b:33}+AEh{b:7}
Azure Service Bus key                 | {b:33}+ASb{b:7}
Azure Cosmos DB key                   | {b:76}ACDb{b:6}
Azure Redis key                       | {w:33}AzCa{b:7}
Azure Search key                      | {w:42}AzSe{w:6}
Azure Functions key                   | {u:44}AzFu{u:6}
Azure API Management key              | {w:76}APIM{b:4}
Alibaba Cloud access key id           | LTAI{w:16}
Alibaba Cloud STS token               | STS.{w:20}
Baidu Cloud key                       | bce-v3/ALTAK-{w:21}/{x:40}
Exoscale API key                      | EXO{x:24}
Tencent Cloud secret id               | AKID{w:32}
Volcengine access key id              | AKLT{w:32}
JD Cloud access key                   | JDC_{N:28}
Yandex API key                        | AQVN{u:35}
Yandex IAM token                      | t1.{u:7-300}.{u:86}
Yandex static key                     | YC{u:38}
Yandex OAuth token                    | y0_{u:50}
DigitalOcean personal token           | dop_v1_{x:64}
DigitalOcean OAuth token              | doo_v1_{x:64}
DigitalOcean refresh token            | dor_v1_{x:64}
Scaleway access key                   | SCW{N:17}
Heroku API key                        | HRKU-AA{u:58}
Fly.io access token                   | fo1_{u:43}
Fly.io macaroon                       | fm2_{b:100}
Fly.io discharge                      | fm1r_{b:100}
Fly.io attenuated token               | fm1a_{b:100}
Render API key                        | rnd_{w:28}
Netlify personal token                | nfp_{w:36}
Netlify CLI token                     | nfc_{w:36}
Netlify OAuth token                   | nfo_{w:36}
Netlify user token                    | nfu_{w:36}
Vercel personal token                 | vcp_{w:56}
Vercel app token                      | vca_{w:56}
Vercel integration token              | vci_{w:56}
Vercel AI Gateway key                 | vck_{w:56}
Vercel refresh token                  | vcr_{w:56}
Vercel blob token                     | vercel_blob_rw_{w:16}_{w:30}
Cloudflare user token                 | cfut_{u:40}
Cloudflare account token              | cfat_{u:40}
Cloudflare global key                 | cfk_{u:40}
Cloudflare origin CA key              | v1.0-{x:24}-{x:146}
Supabase personal token               | sbp_{x:40}
Supabase scoped token                 | sbp_v0_{x:40}
Supabase OAuth token                  | sbp_oauth_{x:40}
Supabase secret key                   | sb_secret_{u:31}
Neon API key                          | napi_{n:64}
Neon database password                | npg_{w:12}
PlanetScale token                     | pscale_tkn_{u:43}
PlanetScale OAuth token               | pscale_oauth_{u:43}
PlanetScale password                  | pscale_pw_{u:43}
Xata API key                          | xau_{w:32}
Databricks token                      | dapi{x:32}
Databricks service token              | dsapi{x:32}
Databricks OAuth secret               | dose{x:32}
Databricks key encryption token       | dkea{x:32}
ClickHouse Cloud secret               | 4b1d{w:38}
Tailscale key                         | tskey-auth-{w:16}-{w:32}
Tailscale API key                     | tskey-api-{w:16}-{w:32}
Tailscale SCIM key                    | tskey-scim-{w:16}-{w:32}
Tailscale webhook key                 | tskey-webhook-{w:16}-{w:32}
Tailscale client secret               | tskey-client-{w:16}-{w:32}
Defined Networking token              | dnkey-{N:26}-{N:52}
Docker personal token                 | dckr_pat_{u:27}
Docker organization token             | dckr_oat_{u:32}
JFrog API key                         | AKCp{w:69}
JFrog reference token                 | cmVmd{w:59}
npm access token                      | npm_{w:36}
PyPI API token                        | pypi-AgEIcHlwaS5vcmc{u:70}
TestPyPI API token                    | pypi-AgENdGVzdC5weXBpLm9yZw{u:70}
RubyGems API key                      | rubygems_{x:48}
crates.io token                       | cio{w:32}
NuGet API key                         | oy2{n:43}
Clojars deploy token                  | CLOJARS_{n:60}
Open VSX token                        | ovsxp_{uuid}
Terraform Cloud token                 | {w:14}.atlasv1.{u:67}
Vault service token                   | hvs.{u:90}
Vault batch token                     | hvb.{u:138}
Vault recovery token                  | hvr.{u:90}
Pulumi access token                   | pul-{x:40}
Doppler personal token                | dp.pt.{w:43}
Doppler CLI token                     | dp.ct.{w:43}
Doppler service token                 | dp.st.{w:43}
Doppler service account token         | dp.sa.{w:43}
Doppler SCIM token                    | dp.scim.{w:43}
Doppler audit token                   | dp.audit.{w:43}
Infracost API key                     | ico-{w:32}
1Password secret key                  | A3-{N:6}-{N:11}-{N:5}-{N:5}-{N:5}
1Password service account token       | ops_eyJ{b:250}
age secret key (post-quantum)         | AGE-SECRET-KEY-PQ-1{N:58}
age plugin identity                   | AGE-PLUGIN-{N:3-20}-1{N:20}
age secret key                        | AGE-SECRET-KEY-1{N:58}
CircleCI personal token               | CCIPAT_{w:22}_{x:40}
CircleCI project token                | CCIPRJ_{w:22}_{x:40}
Buildkite user token                  | bkua_{x:40}
Buildkite cluster token               | bkct_{w:40}
Buildkite packages token              | bkpt_{x:40}
Octopus Deploy API key                | API-{N:26}
Harness personal token                | pat.{u:22}.{x:24}.{w:20}
Harness service account token         | sat.{u:22}.{x:24}.{w:20}
Prefect user key                      | pnu_{w:36}
Prefect service account key           | pnb_{w:36}
SonarQube user token                  | squ_{x:40}
SonarQube project token               | sqp_{x:40}
SonarQube global token                | sqa_{x:40}
Scalingo API token                    | tk-us-{u:48}
Postman API key                       | PMAK-{x:24}-{x:34}
ReadMe API key                        | rdme_{n:70}
Mergify application key               | mka_{w:40}
LocalStack auth token                 | ls-{w:8}-{w:4}-{w:4}-{w:4}-{w:12}
OpenShift token                       | sha256~{u:43}
OpenAI API key                        | sk-{w:20}T3BlbkFJ{w:20}
OpenAI project key                    | sk-proj-{u:74}T3BlbkFJ{u:74}
OpenAI service account key            | sk-svcacct-{u:74}T3BlbkFJ{u:74}
OpenAI key without project            | sk-None-{w:20}T3BlbkFJ{w:20}
OpenAI admin key                      | sk-admin-{u:58}T3BlbkFJ{u:58}
Anthropic API key                     | sk-ant-api03-{u:93}AA
Anthropic admin key                   | sk-ant-admin01-{u:93}AA
Anthropic OAuth token                 | sk-ant-oat01-{u:93}AA
Anthropic refresh token               | sk-ant-ort01-{u:93}AA
Anthropic session key                 | sk-ant-sid01-{u:86}AA
OpenRouter API key                    | sk-or-v1-{x:64}
API key of DeepSeek, Moonshot, LiteLLM | sk-{w:22}
Langfuse secret key                   | sk-lf-{uuid}
Helicone API key                      | sk-helicone-{n:7}-{n:7}-{n:7}-{n:7}
Hugging Face token                    | hf_{c:34}
Hugging Face organization token       | api_org_{c:34}
Replicate token                       | r8_{w:37}
Groq API key                          | gsk_{w:52}
Perplexity API key                    | pplx-{w:48}
xAI API key                           | xai-{w:80}
Cerebras API key                      | csk-{n:48}
Together AI key                       | tgp_v1_{u:43}
Fireworks AI key                      | fw_{w:24}
NVIDIA API key                        | nvapi-{u:64}
Pinecone API key                      | pcsk_{w:6}_{w:63}
LangSmith personal token              | lsv2_pt_{x:32}_{x:10}
LangSmith key (older)                 | ls__{x:32}
LangSmith service key                 | lsv2_sk_{x:32}_{x:10}
ElevenLabs API key                    | sk_{x:48}
Tavily API key                        | tvly-{w:32}
Firecrawl API key                     | fc-{x:32}
LlamaCloud API key                    | llx-{w:48}
Weights & Biases key                  | wandb_v1_{u:77}
Voyage AI key                         | pa-{u:43}
Anyscale secret                       | esecret_{n:25}
Modal token id                        | ak-{w:22}
Modal token secret                    | as-{w:22}
Brave Search key                      | BSA{u:28}
Apify token                           | apify_api_{w:36}
Cursor API key                        | key_{x:64}
Cursor user key                       | crsr_{x:64}
Amp access token                      | sgamp_user_{N:26}_{x:64}
Warp API key                          | wk-1.{x:64}
Devin API key                         | apk_user_{u:40}
Factory API key                       | fk-{u:50}
Jina AI key                           | jina_{x:32}{w:28}
Browserbase API key                   | bb_live_{u:27}
E2B API key                           | e2b_{x:40}
Slack bot token                       | xoxb-{d:12}-{d:12}-{w:24}
Slack user token                      | xoxp-{d:12}-{d:12}-{d:12}-{x:32}
Slack app token                       | xapp-1-{N:11}-{d:13}-{x:64}
Slack refresh token                   | xoxe-1-{w:146}
Slack configuration token             | xoxe.xoxp-1-{w:163}
Slack workspace token                 | xoxa-2-{w:48}
Slack browser token                   | xoxc-{d:12}-{d:12}-{d:12}-{x:64}
Slack browser cookie                  | xoxd-{a:60}
Slack older workspace token           | xoxr-{d:12}-{d:12}-{w:40}
Slack older user token                | xoxo-{d:12}-{w:24}
Slack legacy token                    | xoxs-{d:10}-{d:10}-{d:10}-{x:10}
Slack workflow token                  | xwfp-{d:12}-{w:24}
Slack webhook                         | hooks.slack.com/services/{w:9}/{w:9}/{w:24}
Slack workflow webhook                | hooks.slack.com/workflows/{w:9}/{w:9}/{d:17}/{w:24}
Slack trigger                         | hooks.slack.com/triggers/{w:9}/{d:13}/{x:32}
Slack webhook (government)            | hooks.slack-gov.com/services/{w:9}/{w:9}/{w:24}
Discord bot token of an id from 1     | MT{w:20-26}.{u:6}.{u:27}
Discord bot token of an id from 2     | Mj{w:20-26}.{u:6}.{u:27}
Discord bot token of an id from 3     | Mz{w:20-26}.{u:6}.{u:27}
Discord bot token of an id from 4     | ND{w:20-26}.{u:6}.{u:27}
Discord bot token of an id from 5     | NT{w:20-26}.{u:6}.{u:27}
Discord bot token of an id from 6     | Nj{w:20-26}.{u:6}.{u:27}
Discord bot token of an id from 7     | Nz{w:20-26}.{u:6}.{u:27}
Discord bot token of an id from 8     | OD{w:20-26}.{u:6}.{u:27}
Discord bot token of an id from 9     | OT{w:20-26}.{u:6}.{u:27}
Discord webhook                       | discord.com/api/webhooks/{d:18}/{u:60}
Discord webhook (version 9)           | discord.com/api/v9/webhooks/{d:18}/{u:60}
Discord webhook (version 10)          | discord.com/api/v10/webhooks/{d:18}/{u:60}
Discord webhook (older)               | discordapp.com/api/webhooks/{d:18}/{u:60}
Discord user token                    | mfa.{u:80}
Microsoft Teams webhook               | webhookb2/{uuid}@{uuid}/IncomingWebhook/{x:32}/{uuid}
Telegram bot token                    | {d:8-10}:AA{u:33}
Telegram bot address                  | api.telegram.org/bot{d:8-10}:{u:35}
Twilio API key                        | SK{x:32}
SendGrid API key                      | SG.{u:22}.{u:43}
Mailgun API key                       | key-{x:32}
Mailgun validation key                | pubkey-{x:32}
MailerSend API token                  | mlsn.{x:64}
OneSignal app key                     | os_v2_app_{n:100}
OneSignal organization key            | os_v2_org_{n:100}
Telnyx API key                        | KEY0{N:31}_{w:22}
Namespace token                       | nsct_{w:40}
Confluent Cloud secret                | cflt{b:60}
Courier API key                       | pk_prod_{N:28}
Mailchimp API key                     | {x:32}-us{d:1}
Brevo API key                         | xkeysib-{x:64}-{w:16}
Brevo SMTP key                        | xsmtpsib-{x:64}-{w:16}
Resend API key                        | re_{w:8}_{w:24}
Stripe secret key                     | sk_live_{w:24}
Stripe test key                       | sk_test_{w:24}
Stripe restricted key                 | rk_live_{w:24}
Stripe production key                 | sk_prod_{w:24}
Stripe restricted production key      | rk_prod_{w:24}
Checkout.com sandbox key              | sk_sbox_{n:26}
Checkout.com key (older)              | sk_{uuid}
Stripe restricted test key            | rk_test_{w:24}
Stripe webhook secret                 | whsec_{b:32}
Square access token                   | EAAA{u:60}
Square OAuth secret                   | sq0csp-{u:43}
Square sandbox secret                 | sq0csb-{u:43}
Square sandbox token                  | sq0idb-{u:43}
Square personal token                 | sq0atp-{u:22}
Braintree access token                | access_token$production${n:16}${x:32}
Braintree sandbox token               | access_token$sandbox${n:16}${x:32}
Razorpay key                          | rzp_live_{w:14}
Razorpay test key                     | rzp_test_{w:14}
Flutterwave secret key                | FLWSECK-{x:32}-X
Flutterwave test key                  | FLWSECK_TEST-{x:32}-X
Midtrans server key                   | Mid-server-{u:24}
Cashfree secret key                   | cfsk_ma_prod_{x:32}_{x:8}
Paddle API key                        | pdl_live_apikey_{n:26}_{w:22}_{w:3}
Plaid production token                | access-production-{uuid}
Plaid development token               | access-development-{uuid}
Plaid sandbox token                   | access-sandbox-{uuid}
Lob, GoCardless, Mollie live key      | live_{u:30}
Mollie access token                   | access_{w:30}
Adyen API key                         | AQE{w:2}hmf{a:80}
Shopify access token                  | shpat_{h:32}
Shopify user token                    | shpua_{h:32}
Shopify theme token                   | shptka_{h:32}
Shopify partner token                 | shpit_{h:32}
Shopify CLI token                     | prtapi_{h:32}
Shopify custom app token              | shpca_{h:32}
Shopify private app token             | shppa_{h:32}
Shopify shared secret                 | shpss_{h:32}
Shippo live token                     | shippo_live_{h:40}
Shippo test token                     | shippo_test_{h:40}
EasyPost API key                      | EZAK{w:54}
EasyPost test key                     | EZTK{w:54}
Duffel live token                     | duffel_live_{u:43}
Duffel test token                     | duffel_test_{u:43}
New Relic user key                    | NRAK-{N:27}
New Relic REST key                    | NRRA-{x:42}
New Relic admin key                   | NRAA-{x:27}
New Relic synthetics key              | NRSP-{n:36}
New Relic license key                 | {n:36}NRAL
New Relic mobile key                  | AA{x:40}-NRMA
New Relic insert key                  | NRII-{u:32}
New Relic browser key                 | NRJS-{x:19}
New Relic insights query key          | NRIQ-{u:32}
Grafana service account token         | glsa_{w:32}_{h:8}
Grafana Cloud token                   | glc_{b:100}
Sentry organization token             | sntrys_{b:120}_{b:43}
Sentry user token                     | sntryu_{x:64}
Sentry integration token              | sntryi_{x:64}
Sentry app token                      | sntrya_{x:64}
Snyk access token                     | snyk_uat.{x:8}.{u:60}
Snyk service account token            | snyk_sat.{x:8}.{u:60}
Socket security token                 | sktsec_{u:45}_api
StackHawk API key                     | hawk.{u:20}.{u:20}
Axiom API token                       | xaat-{uuid}
Axiom personal token                  | xapt-{uuid}
Dynatrace API token                   | dt0c01.{N:24}.{N:64}
Dynatrace platform token              | dt0s16.{N:8}.{N:64}
Honeycomb ingest key                  | hcaik_{n:58}
Honeycomb management key              | hcamk_{n:58}
PostHog personal key                  | phx_{w:43}
LaunchDarkly SDK key                  | sdk-{uuid}
LaunchDarkly mobile key               | mob-{uuid}
LaunchDarkly API key                  | api-{uuid}
Segment public API token              | sgp_{w:64}
MaxMind license key                   | {w:6}_{w:29}_mmk
Figma personal token                  | figd_{u:40}
Figma OAuth token                     | figo_{u:40}
Figma refresh token                   | figor_{u:40}
Figma user token                      | figu_{u:40}
Linear API key                        | lin_api_{w:40}
Linear webhook secret                 | lin_wh_{w:40}
Linear OAuth token                    | lin_oauth_{x:64}
Notion token                          | ntn_{d:11}{w:35}
Notion integration secret             | secret_{w:43}
Airtable personal token               | pat{w:14}.{x:64}
ClickUp token                         | pk_{d:7}_{N:32}
Contentful personal token             | CFPAT-{u:43}
Typeform token                        | tfp_{u:44}_{u:14}
HubSpot private app token (Americas)  | pat-na1-{uuid}
HubSpot private app token (Europe)    | pat-eu1-{uuid}
HubSpot private app token (2)         | pat-na2-{uuid}
HubSpot private app token (Asia)      | pat-ap1-{uuid}
Salesforce access token               | 00D{w:12-15}!{a:80}
Salesforce refresh token              | 5Aep861{a:60}
Zoho OAuth token                      | 1000.{x:32}.{x:32}
Intercom access token                 | dG9rO{b:50}
Dropbox short-lived token             | sl.{a:130}
Facebook access token                 | EAA{w:100}
Instagram access token                | IGQV{u:100}
Instagram business token              | IGAA{u:100}
TikTok access token                   | act.{w:60}
Twitch chat token                     | oauth:{n:30}
Riot Games key                        | RGAPI-{uuid}
Roblox session                        | _|WARNING:-DO-NOT-SHARE-THIS.{a:100}
Matrix access token                   | syt_{w:4-60}_{w:20}_{w:6}
Matrix service token                  | mat_{w:30}_{w:6}
X (Twitter) bearer token              | AAAAAAAAAAAAAAAAAAAAA{a:80}
LinkedIn client secret                | WPL_AP1.{w:16}.{b:8}
Pinterest token                       | pina_{N:60}
Mapbox secret token                   | sk.eyJ{u:40}.{u:22}
Mapbox temporary token                | tk.eyJ{u:40}.{u:22}
Frame.io token                        | fio-u-{u:64}
Adobe client secret                   | p8e-{u:32}
Intra 42 client secret                | s-s4t2ud-{x:64}
Intra 42 application secret           | s-s4t2af-{x:64}
Beamer API key                        | b_{b:44}
SettleMint token                      | sm_pat_{w:16}
SettleMint application token          | sm_aat_{w:16}
SettleMint service token              | sm_sat_{w:16}
Authress service client key           | sc_{n:10}.{n:4}.acc_{n:10}.{b:40}
Samsara API token                     | samsara_api_{w:30}
Lichess personal token                | lip_{w:20}
WakaTime API key                      | waka_{uuid}
Val Town token                        | vtwn_{w:32}
Tigris access key id                  | tid_{w:40}
Tigris secret key                     | tsec_{u:60}
Polar organization token              | polar_oat_{w:43}
RunPod API key                        | rpa_{w:44}
Zuplo consumer key                    | zpka_{w:32}_{x:8}
Canva client secret                   | cnvca{u:48}
Persona API key                       | persona_production_{uuid}
Onfido live token                     | api_live.{u:11}.{u:32}
Elastic Cloud key                     | essu_{b:80}
Thunderstore token                    | tss_{w:30}
Pangea token                          | pts_{n:32}
ngrok API key                         | ak_{w:49}
Infura project                        | infura.io/v3/{x:32}
Alchemy key                           | alchemy.com/v2/{u:32}
Depot project token                   | depot_project_{x:64}
Depot organization token              | depot_org_{x:64}
JumpCloud API key                     | jca_{w:36}
Chromatic project token               | chpt_{x:12}
Dub API key                           | dub_{w:24}
JetBrains permanent token             | perm:{b:4-80}.{b:4-80}.{w:24}
Docker swarm join token               | SWMTKN-1-{n:50}-{n:25}
k3s token                             | K10{x:64}::server:{x:32}
Boundary token                        | at_{w:10}_{w:60}
Infisical service token               | st.{x:24}.{x:32}.{x:32}
PostHog project secret                | phs_{w:43}
Extended private key                  | xprv{w:100}
Unkey root key                        | unkey_{w:22}
JSON Web Token                        | eyJ{u:17}.eyJ{u:12}.{u:6}
encoded JSON (session, service token) | eyJ{a:12}
encoded JSON Web Token                | ZXlK{b:40}
encoded OpenSSH key                   | b3BlbnNzaC1rZXktdjE{b:40}
minisign secret key                   | RWRTY0Iy{b:100}
encoded private key                   | LS0tLS1CRUdJTi{b:40}
"""


class Piece(Struct, frozen=True):
    """One part of a shape: a literal, or `count` to `most` characters of a class."""

    literal: str
    chars: str = ""
    count: int = 0
    most: int = 0


class TokenFormat(Struct, frozen=True, kw_only=True, dict=True):
    """One row, read."""

    name: str
    pieces: tuple[Piece, ...]

    @cached_property
    def prefix(self) -> str:
        """What such a token begins with; "" where it begins with its own characters."""
        return self.pieces[0].literal

    @cached_property
    def literal(self) -> str:
        """The longest text that every such token holds."""
        return max((piece.literal for piece in self.pieces), key=len)

    @cached_property
    def is_telling(self) -> bool:
        """True where the prefix alone shows what it is."""
        if self.is_everyday:
            return False
        return len(self.prefix) >= TELLING and not self.prefix[-1].isalnum()

    @cached_property
    def is_everyday(self) -> bool:
        """True where the prefix is one that everyday names have as well."""
        return self.prefix in EVERYDAY

    @cached_property
    def length(self) -> int:
        """How many characters such a token has."""
        return sum(len(piece.literal) + piece.count for piece in self.pieces)


@cache
def formats() -> tuple[TokenFormat, ...]:
    """Read the table."""
    return tuple(_read(row) for row in TABLE.strip().splitlines())


def _read(row: str) -> TokenFormat:
    name, shape = row.split(" | ")
    return TokenFormat(name=name.strip(), pieces=tuple(_pieces(shape.replace("{uuid}", UUID))))


def _pieces(shape: str) -> Iterator[Piece]:
    while shape:
        literal, opened, rest = shape.partition("{")
        if literal:
            yield Piece(literal)
        if not opened:
            return
        group, _, shape = rest.partition("}")
        letter, _, counts = group.partition(":")
        least, _, most = counts.partition("-")
        yield Piece("", CLASSES[letter], int(least), int(most or least))
