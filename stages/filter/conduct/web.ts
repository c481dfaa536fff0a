import { givenIn, textIn } from "../../lib/commands/given.ts";
import { type InnerCommand, innerCommands } from "../../lib/commands/inner-commands.ts";
import { plainRepository, repositoryOf } from "../../lib/decontamination.ts";
import type { Conduct, Done } from "./conduct.ts";

/**
 * Answers read from the web: the project's own sources, issues or later releases, fetched from where they are published. Other pages, and
 * what the project needs (`pip install numpy`, `pip install -e .`), are none.
 */

/** Where sources, issues and packages are published. */
const publishers =
  /^(?:[\w-]{1,60}\.)?(?:github\.com|githubusercontent\.com|githack\.com|gitlab\.com|bitbucket\.org|codeberg\.org|sourceforge\.net|pypi\.org|pythonhosted\.org|pypi\.python\.org|npmjs\.(?:com|org)|unpkg\.com|jsdelivr\.net|crates\.io|rubygems\.org|packagist\.org|debian\.(?:org|net)|sourcegraph\.com|grep\.app|codesearch\.debian\.net)$/;

/** `Foo_Bar` = `foo-bar`, as package indexes compare names. */
const plainName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, "-");

/** Name of the project that the task is about; null: nothing says. */
function projectOf({ trajectory: { task, instance } }: Conduct): string | null {
  const repository = task.repository === null ? repositoryOf(instance) : (plainRepository(task.repository) ?? task.repository);
  return repository === null ? null : plainName(repository.slice(repository.lastIndexOf("/") + 1));
}

const address = /https?:\/\/([\w.-]{1,200})((?:[/?#][^\s"'`<>\\)\]]{0,500})?)/g;

/** Is it the project's own page or file? The name stands in the path as a part of its own: `/django/django/pull/1`, `/django-3.2.tar.gz`. */
function isOwn(host: string, path: string, project: string): boolean {
  if (!publishers.test(host.toLowerCase())) return false;
  return path.split(/[/?#&=@]/).some((part) => {
    const name = plainName(part.replace(/(?:\.git|-\d[\w.]*(?:\.tar\.\w+|\.zip|\.whl)?)$/i, ""));
    return name === project;
  });
}
const ownAddress = (text: string, project: string): boolean => {
  for (const [, host = "", path = ""] of text.matchAll(address)) if (isOwn(host, path, project)) return true;
  return false;
};

/** Words behind `pip download`, `npm pack` and the like that name the project itself, with or without a version; paths and addresses do not. */
const namesProject = (words: readonly string[], project: string): boolean =>
  words.some((word) => !/^[-./]|[/\\]/.test(word) && plainName(word.replace(/[[=<>~!@;].*$/, "")) === project);

/** What a package manager takes the package itself by. */
const packages: Readonly<Record<string, RegExp>> = {
  pip: /^(?:install|download)$/,
  uv: /^(?:add|install)$/,
  conda: /^install$/,
  npm: /^(?:i|install|pack)$/,
};

function fetchesPackage({ program, words }: InnerCommand, project: string): boolean {
  const module = words.indexOf("-m");
  const own = module > 0 && words[module + 1] === "pip" ? words.slice(module + 1) : words;
  const name = own !== words || /^pip[\d.]*$/.test(program) ? "pip" : program === "mamba" ? "conda" : program;
  const verbs = Object.hasOwn(packages, name) ? packages[name] : undefined;
  const verb = own.findIndex((word, index) => index > 0 && verbs?.test(word) === true);
  const editable = own.some((word) => word === "-e" || word === "--editable" || word === "-r");
  return verb > 0 && !editable && namesProject(own.slice(verb + 1), project);
}

const fetchers = /^(?:curl|wget|http|https|aria2c|lynx|w3m|links)$/;
const fetchesInCode = /\b(?:urlopen|urlretrieve|requests\.(?:get|request|Session)|httpx\.|http\.client|fetch\()/;

function fetches(command: InnerCommand, project: string): boolean {
  const { program, words, heredoc } = command;
  if (fetchers.test(program)) return ownAddress(words.slice(1).join(" "), project);
  if (program === "git") return /^(?:clone|ls-remote|fetch|pull)$/.test(words[1] ?? "") && ownAddress(words.slice(2).join(" "), project);
  const code = [words.slice(1).join(" "), heredoc ?? ""].join("\n");
  if (fetchesInCode.test(code)) return ownAddress(code, project);
  return fetchesPackage(command, project);
}

/** Tools that fetch or search the web, by their names: Claude Code, Gemini CLI, OpenHands and their kin. */
const webTool = /(?:^|[_.-])(?:web_?(?:fetch|search|read)|google_web_search|fetch(?:_web_content)?|browse\w*|browser\w*)$/i;

function readsWeb({ call }: Done, project: string): boolean {
  if (!webTool.test(call.name)) return innerCommands(call).some((command) => fetches(command, project));
  const given = givenIn(call.arguments);
  const words = textIn(given, "query", "searchterm") ?? "";
  const named = words.split(/[^\w.-]+/).some((word) => plainName(word) === project);
  return named || ownAddress(textIn(given, "url", "prompt", "code") ?? "", project);
}

/** One command line may both fail and fetch: `pip install nothing; pip install django`. */
const fetchedAll = ({ action, call }: Done): boolean =>
  !action.failed || /^[ \t]{0,40}(?:Downloading |Saving to: |Successfully installed )/m.test(call.result?.slice(-20_000) ?? "");

const mayReachOut = /https?:|\bpip[\d.]*\b|\b(?:conda|mamba|uv|npm)\b/;
/** Was the package, or a later one, there already? Then nothing was fetched. */
const hadIt = (result: string, project: string): boolean =>
  [...result.slice(0, 20_000).matchAll(/^Requirement already satisfied: ([\w.-]{1,100})/gm)].some(
    (found) => plainName(found[1] ?? "") === project,
  ) && !/^(?:Collecting|Downloading) /m.test(result.slice(0, 20_000));

/** Calls that fetch the project's own sources, issues or releases; null: it is not known what the project is, and some call reaches out. */
export function webReaders(conduct: Conduct): Done[] | null {
  const out = conduct.done.filter(
    (one) => (webTool.test(one.call.name) || (one.action.kind !== "edit" && mayReachOut.test(one.call.arguments))) && fetchedAll(one),
  );
  if (out.length === 0) return [];
  const project = projectOf(conduct);
  if (project === null) return null;
  return out.filter((one) => readsWeb(one, project) && !hadIt(one.call.result ?? "", project));
}
export const webReads = (conduct: Conduct): number | null => webReaders(conduct)?.length ?? null;
