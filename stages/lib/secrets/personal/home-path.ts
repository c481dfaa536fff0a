import { type PersonalRule, rangesOf } from "./personal-rule.ts";

const home = /(?:\/home\/|\/Users\/|[A-Za-z]:(?:\\{1,4}|\/)Users(?:\\{1,4}|\/))([A-Za-z0-9][A-Za-z0-9._-]{0,63})(?=[\\/"'\s:;,)]|$)/dg;

/** Accounts of images, build machines and manuals. */
const nobody = new Set(
  "user users username me you name root runner ubuntu debian ec2-user vscode node app agent swe-agent sweagent openhands devin circleci travis jenkins builder runneradmin shared public default administrator conda jovyan coder gitpod codespace sandbox admin linuxbrew test".split(
    " ",
  ),
);

/** Account names in the paths of home folders; only the name goes, so that the path stays one. */
export const homePath: PersonalRule = { find: (text) => rangesOf(home, text, (match) => !nobody.has((match[1] ?? "").toLowerCase())) };
