import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSchema } from "../src/index.js";

const SCHEMA = {
  "server.port": { type: "integer", required: true, min: 1, max: 65535 },
  "log.level": { type: "string", oneOf: ["debug", "info"] },
};

test("a good tree has no problems", () => {
  assert.deepEqual(checkSchema({ server: { port: 80 }, log: { level: "info" } }, SCHEMA), []);
});

test("every problem is named", () => {
  assert.deepEqual(checkSchema({ log: { level: "loud" } }, SCHEMA), ["server.port: missing", 'log.level: "loud" is not one of debug, info']);
  assert.deepEqual(checkSchema({ server: { port: 70000 } }, SCHEMA), ["server.port: 70000 is more than 65535"]);
  assert.deepEqual(checkSchema({ server: { port: "x" } }, SCHEMA), ['server.port: expected integer, got "x"']);
});
