/**
 * Secrets of 20 shapes, drawn from a seed and put together here, so that no file of this repository holds one. `secret`: what must be found
 * nowhere; `line`: how it stands in a text.
 */
export interface Planted {
  readonly shape: string;
  readonly secret: string;
  readonly line: string;
}

const digits = "0123456789";
const lower = "abcdefghijklmnopqrstuvwxyz";
const upper = lower.toUpperCase();
const base62 = digits + lower + upper;
const hex = `${digits}abcdef`;

function dice(seed: number): (characters: string, count: number) => string {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
  return (characters, count) => Array.from({ length: count }, () => characters[next() % characters.length]).join("");
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const base64url = (text: string): string => Buffer.from(text).toString("base64url");

const plain = (shape: string, secret: string, line = (value: string): string => `value ${value}`): Planted => ({
  shape,
  secret,
  line: line(secret),
});

/** The 20 shapes; the AWS pair and the two base64 wrappings count as one each. */
export function plantedSecrets(seed = 1): Planted[] {
  const draw = dice(seed);
  const awsId = `AK${"IA"}${draw(upper + digits, 16)}`;
  const awsSecret = `${draw(`${base62}+/`, 36)}7Qz+`;
  const wrapped = `gh${"p_"}${draw(base62, 36)}`;
  const pem = Array.from({ length: 12 }, () => draw(`${base62}+/`, 64));
  const jwt = `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url(`{"sub":"${draw(digits, 10)}","name":"planted"}`)}.${draw(`${base62}_-`, 43)}`;
  const password = `${draw(lower, 3)}${draw(digits, 2)}${draw(upper, 3)}!${draw(base62, 6)}`;
  return [
    plain("aws-access-key-id", awsId, (value) => `aws_access_key_id = ${value}`),
    plain("aws-secret-key", awsSecret, (value) => `${awsId},${value}`),
    plain("github-token", `gh${"o_"}${draw(base62, 36)}`, (value) => `remote: https://x-access-token:${value}@github.com/acme/web.git`),
    plain("github-fine-grained", `github${"_pat_"}${draw(base62, 22)}_${draw(base62, 59)}`),
    plain("gitlab-token", `gl${"pat-"}${draw(`${base62}_`, 20)}`),
    plain("npm-token", `np${"m_"}${draw(base62, 36)}`, (value) => `//registry.npmjs.org/:_authToken=${value}`),
    plain("slack-token", `xo${"xb-"}${draw(digits, 12)}-${draw(digits, 12)}-${draw(base62, 24)}`),
    plain("openai-key", `s${"k-"}proj-${draw(`${base62}_-`, 74)}${draw(base62, 6)}`),
    plain("anthropic-key", `s${"k-ant-"}api03-${draw(`${base62}_-`, 86)}${draw(base62, 6)}AA`),
    plain("huggingface-token", `h${"f_"}${draw(base62, 34)}`),
    plain("google-api-key", `AI${"za"}${draw(`${base62}_`, 35)}`, (value) => `https://maps.example.com/api?key=${value}&v=3`),
    plain("stripe-key", `s${"k_live_"}${draw(base62, 24)}`),
    {
      shape: "private-key",
      secret: pem[5] ?? "",
      line: `-----BEGIN RSA PRI${"VATE"} KEY-----\n${pem.join("\n")}\n-----END RSA PRI${"VATE"} KEY-----`,
    },
    plain("database-url", password, (value) => `DATABASE_URL=postgres://svc_app:${value}@db.internal.acme.io:5432/prod`),
    plain("jwt", jwt),
    plain("bearer-token", draw(base62, 40), (value) => `> Authorization: Bearer ${value}`),
    plain("basic-auth", base64(`deploy:${draw(base62, 14)}`), (value) => `authorization: Basic ${value}`),
    plain("env-file", `${draw(base62, 5)}9${draw(base62, 18)}`, (value) => `export DB_PASSWORD=${value}`),
    plain("quoted-api-key", `${draw(hex, 30)}a7`, (value) => `{"api_key": "${value}", "region": "eu"}`),
    { shape: "base64-wrapped", secret: base64(`token: ${wrapped}\n`), line: `data:\n  credentials: ${base64(`token: ${wrapped}\n`)}` },
  ];
}
