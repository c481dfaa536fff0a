/** A token that its issuer made recognisable: how it starts, and what follows. */
export interface TokenShape {
  readonly type: string;
  readonly starts: readonly string[];
  /** What follows the start: one run of a character class, bounded, so that matching cannot back up far. */
  readonly body: RegExp;
  /** The start is so short that words begin like it: the body must also look drawn by a machine. */
  readonly loose?: true;
}

/**
 * Shapes as their issuers document them (GitHub's list of supported secret-scanning patterns names most) or as tokens in their documentation look.
 * Lower bounds are a little under the real lengths, so that a shortened token in a log is still one. Upper bounds are ours.
 */
export const tokenShapes: readonly TokenShape[] = [
  // AWS: IAM identifiers, "unique ID prefixes" (IAM user guide); 20 characters in all.
  { type: "aws-access-key-id", starts: ["AKIA", "ASIA", "ABIA", "ACCA"], body: /[A-Z0-9]{16}/y },
  // GitHub: "About authentication to GitHub", token formats.
  { type: "github-token", starts: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], body: /[A-Za-z0-9]{36,255}/y },
  { type: "github-token", starts: ["github_pat_"], body: /[A-Za-z0-9_]{22,255}/y },
  // GitLab: "Token overview", token prefixes.
  {
    type: "gitlab-token",
    starts: ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-"],
    body: /[A-Za-z0-9_.-]{20,300}/y,
  },
  { type: "npm-token", starts: ["npm_"], body: /[A-Za-z0-9]{36}/y },
  // PyPI: macaroons start with "pypi-AgEI" (PyPI help, "API tokens").
  { type: "pypi-token", starts: ["pypi-AgEI"], body: /[A-Za-z0-9_-]{50,600}/y },
  { type: "rubygems-token", starts: ["rubygems_"], body: /[a-f0-9]{48}/y },
  { type: "docker-token", starts: ["dckr_pat_", "dckr_oat_"], body: /[A-Za-z0-9_-]{24,64}/y },
  // Slack: "Token types"; incoming webhooks.
  { type: "slack-token", starts: ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xapp-"], body: /[A-Za-z0-9.-]{18,300}/y },
  { type: "slack-webhook", starts: ["hooks.slack.com/services/", "hooks.slack.com/workflows/"], body: /[A-Za-z0-9/]{30,120}/y },
  {
    type: "discord-webhook",
    starts: ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
    body: /\d{15,21}\/[A-Za-z0-9_-]{50,90}/y,
  },
  // Model providers.
  { type: "anthropic-key", starts: ["sk-ant-"], body: /[A-Za-z0-9_-]{20,200}/y, loose: true },
  {
    type: "openai-key",
    starts: ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-", "sk-or-v1-"],
    body: /[A-Za-z0-9_-]{20,250}/y,
    loose: true,
  },
  { type: "openai-key", starts: ["sk-"], body: /[A-Za-z0-9]{20,100}/y, loose: true },
  { type: "huggingface-token", starts: ["hf_", "api_org_"], body: /[A-Za-z0-9]{30,60}/y },
  { type: "groq-key", starts: ["gsk_"], body: /[A-Za-z0-9]{40,64}/y },
  { type: "replicate-token", starts: ["r8_"], body: /[A-Za-z0-9]{37,40}/y },
  { type: "perplexity-key", starts: ["pplx-"], body: /[A-Za-z0-9]{40,64}/y },
  { type: "xai-key", starts: ["xai-"], body: /[A-Za-z0-9]{60,100}/y },
  // Google: API keys, OAuth access tokens and client secrets.
  { type: "google-api-key", starts: ["AIza"], body: /[A-Za-z0-9_-]{35}/y },
  { type: "google-oauth-token", starts: ["ya29."], body: /[A-Za-z0-9_-]{30,500}/y },
  { type: "google-client-secret", starts: ["GOCSPX-"], body: /[A-Za-z0-9_-]{24,40}/y },
  // Payment and mail.
  { type: "stripe-key", starts: ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"], body: /[A-Za-z0-9+/]{16,250}/y, loose: true },
  { type: "square-token", starts: ["sq0atp-", "sq0csp-"], body: /[A-Za-z0-9_-]{22,60}/y },
  { type: "shopify-token", starts: ["shpat_", "shpca_", "shppa_", "shpss_"], body: /[a-fA-F0-9]{32}/y },
  { type: "sendgrid-key", starts: ["SG."], body: /[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}/y },
  { type: "mailgun-key", starts: ["key-"], body: /[a-f0-9]{32}/y },
  { type: "telegram-token", starts: [":AA"], body: /[A-Za-z0-9_-]{33}/y },
  // Clouds and tools.
  { type: "digitalocean-token", starts: ["dop_v1_", "doo_v1_", "dor_v1_"], body: /[a-f0-9]{64}/y },
  { type: "databricks-token", starts: ["dapi"], body: /[a-f0-9]{32}(?:-\d)?/y },
  { type: "vault-token", starts: ["hvs.", "hvb.", "hvr."], body: /[A-Za-z0-9_-]{24,300}/y, loose: true },
  { type: "terraform-token", starts: [".atlasv1."], body: /[A-Za-z0-9_-]{40,100}/y },
  { type: "grafana-token", starts: ["glsa_", "glc_"], body: /[A-Za-z0-9_+/=]{32,400}/y },
  { type: "linear-key", starts: ["lin_api_"], body: /[A-Za-z0-9]{32,64}/y },
  { type: "notion-token", starts: ["ntn_"], body: /[A-Za-z0-9]{40,60}/y },
  { type: "figma-token", starts: ["figd_"], body: /[A-Za-z0-9_-]{36,64}/y },
  { type: "postman-key", starts: ["PMAK-"], body: /[a-f0-9]{24}-[a-f0-9]{34}/y },
  { type: "newrelic-key", starts: ["NRAK-"], body: /[A-Z0-9]{27}/y },
  { type: "sentry-token", starts: ["sntrys_", "sntryu_"], body: /[A-Za-z0-9+/=_]{40,400}/y },
  { type: "supabase-token", starts: ["sbp_"], body: /[a-f0-9]{40}/y },
  { type: "atlassian-token", starts: ["ATATT3"], body: /[A-Za-z0-9_=-]{60,250}/y },
  { type: "age-key", starts: ["AGE-SECRET-KEY-1"], body: /[A-Z0-9]{58}/y },
  { type: "doppler-token", starts: ["dp.pt.", "dp.st.", "dp.ct."], body: /[A-Za-z0-9_.-]{40,80}/y },
  { type: "planetscale-token", starts: ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], body: /[A-Za-z0-9_.=-]{32,64}/y },
  { type: "netlify-token", starts: ["nfp_"], body: /[A-Za-z0-9]{36}/y },
  { type: "heroku-key", starts: ["HRKU-AA"], body: /[A-Za-z0-9_-]{58}/y },
];
