// A container engine that only pretends: it takes the words that docker and podman take, answers in their words (recorded from
// docker 28.2 and podman 4.3), and runs what it is told as plain processes of the host. It confines nothing.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.FAKE_ENGINE;
const [verb, ...words] = process.argv.slice(2);
appendFileSync(join(folder, "calls.jsonl"), `${JSON.stringify([verb, ...words])}\n`);

const withValue = /^--(name|hostname|network|cap-drop|security-opt|pids-limit|memory|memory-swap|ulimit|workdir|entrypoint|format|filter)$/;
const options = {};
while (words[0]?.startsWith("--")) {
  const word = words.shift();
  options[word.slice(2)] = withValue.test(word) ? words.shift() : true;
}

const recordOf = (name) => join(folder, `${name}.json`);
const fail = (text) => {
  process.stderr.write(`${text}\n`);
  process.exit(1);
};

/** Live processes that carry the container's name. */
const processesOf = (name) =>
  readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`FAKE_CONTAINER=${name}\0`);
      } catch {
        return false;
      }
    });

function killAll(name) {
  for (let left = processesOf(name); left.length > 0; left = processesOf(name))
    for (const pid of left)
      try {
        process.kill(Number(pid), "SIGKILL");
      } catch {
        // it ended meanwhile
      }
}

/** stdin, stdout and stderr are the caller's, so that what holds them is what would hold them with a real engine. */
function become(name, [program, ...args], cwd) {
  const env = { PATH: process.env.PATH, HOME: cwd, FAKE_CONTAINER: name };
  const child = spawn(program, args, { cwd, env, stdio: "inherit", detached: true });
  child.on("exit", (code, signal) => process.exit(signal === null ? code : 137));
}

if (existsSync(join(folder, "down")))
  fail("Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?");

const verbs = {
  version: () => console.log("28.2.2"),
  create: () => {
    const [image, ...rest] = words;
    if (image === "absent")
      fail(
        "Unable to find image 'absent:latest' locally\nError response from daemon: pull access denied for absent, repository does not exist",
      );
    writeFileSync(recordOf(options.name), JSON.stringify({ program: [options.entrypoint, ...rest], workdir: options.workdir }));
    console.log("5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef");
  },
  start: () => {
    const { program, workdir } = JSON.parse(readFileSync(recordOf(words[0]), "utf8"));
    become(words[0], program, workdir);
  },
  exec: () => {
    const [name, ...program] = words;
    if (processesOf(name).length === 0) fail(`Error response from daemon: container ${name} is not running`);
    become(name, program, options.workdir);
  },
  kill: () => {
    killAll(words[0]);
    console.log(words[0]);
  },
  rm: () => {
    killAll(words[0]);
    rmSync(recordOf(words[0]), { force: true });
  },
  ps: () => {
    for (const file of readdirSync(folder)) if (file.startsWith("catgen-sandbox-")) console.log(file.slice(0, -".json".length));
  },
  inspect: () => console.log(0),
};
(verbs[verb] ?? (() => fail(`docker: '${verb}' is not a docker command.`)))();
