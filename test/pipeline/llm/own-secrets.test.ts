import { expect, test } from "vitest";
import { ownSecrets } from "../../../pipeline/secrets/own.ts";
import { ask, bench, key, linesIn } from "./harness.ts";

test("no request holds a secret of our own, in whatever form it came into a prompt, and neither does cache or ledger", async () => {
  const { open, server, folder } = await bench();
  const own = ownSecrets(key, { DEPLOY_PASSWORD: "blue/horse 42+x" });
  const backbone = await open({}, { own });
  const forms = [key, Buffer.from(`x:${key}`).toString("base64"), encodeURIComponent("blue/horse 42+x"), JSON.stringify("blue/horse 42+x")];
  const call = { id: "c00010000", name: "ls", arguments: JSON.stringify({ path: key }) };
  await backbone.complete(
    ask("", {
      messages: [
        { role: "user", content: forms.join("\n") },
        { role: "assistant", content: `I saw ${key}`, calls: [call] },
        { role: "tool", content: forms.join(" "), call: call.id },
      ],
    }),
  );
  await backbone.close();
  const sent = JSON.stringify(server.requests[0]?.body);
  const kept = [...(await linesIn(`${folder}/cache`)), ...(await linesIn(`${folder}/ledger`))].join("\n");
  for (const form of forms) {
    expect(sent).not.toContain(form);
    expect(kept).not.toContain(form);
  }
  expect(sent).toContain("[SECRET:own-secret:1]");
});

test("variables are secrets by their name, unless the value is a word, a number, a path or short", () => {
  const value = "v4lue-of-a-secret";
  const secret = ["CATGEN_API_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "db_password", "SENTRY_DSN", "NPM_AUTH"];
  for (const name of secret) expect(ownSecrets(null, { [name]: value }), name).toContain(value);
  const innocent = {
    PATH: value,
    TOKENIZERS_PARALLELISM: "false-and-long",
    SSH_KEY_PATH: "/home/me/.ssh/id_ed25519",
    API_KEY: "placeholder",
    PIN_TOKEN: "12345678901",
    MY_TOKEN: "short1",
    GIT_AUTHOR_NAME: value,
  };
  expect(ownSecrets(null, innocent)).toEqual([]);
});
