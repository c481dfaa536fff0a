import { join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import type { Published, PublishFile } from "../../schemas/publish.ts";
import { type Hub, HubMoved } from "../adapters/hub.ts";
import type { Progress } from "../progress.ts";
import { type Difference, differenceTo } from "./dataset-files.ts";

export interface PublishRequest {
  readonly hub: Hub;
  readonly repo: string;
  readonly branch: string;
  readonly tag: string | null;
  readonly private: boolean;
  readonly folder: string;
  readonly files: readonly PublishFile[];
  readonly title: string;
  /** The commit's second half: what was approved at the gates. */
  readonly description: string;
  readonly progress: Progress;
  /** Bytes that went over the wire so far. */
  readonly sentBytes: () => number;
}

type Done = NonNullable<Published["done"]>;

/** How often the branch may move, or the store's addresses run out, between looking and committing. */
const mostRounds = 8;

async function checkToken({ hub, repo }: PublishRequest): Promise<void> {
  const { name, role } = await hub.whoAmI();
  if (role !== "read") return;
  throw new Fault(
    "HUB_AUTH",
    "stop",
    `the token of ${name} may only read, and ${repo} is to be written; make one that may write at ${hub.address}/settings/tokens and set HF_TOKEN`,
  );
}

/** The dataset is there afterwards, with the visibility that was asked for; one that is there with the other is a mistake to be cleared up. */
async function makeSure({ hub, repo, private: isPrivate }: PublishRequest): Promise<{ created: boolean }> {
  const before = await hub.visibility(repo);
  const created = before === null && (await hub.create(repo, isPrivate));
  const found = created ? null : (before ?? (await hub.visibility(repo)));
  if (found === null || found.private === isPrivate) return { created };
  throw new Fault(
    "HUB_REFUSED",
    "stop",
    isPrivate
      ? `${repo} is there and public, and nothing is published there unasked; say --public if everybody may read it, or take another name`
      : `${repo} is there and private; leave out --public, or change its visibility in its settings at ${hub.address}/datasets/${repo}/settings`,
  );
}

interface Heads {
  /** Commit of the branch. */
  readonly head: string;
  readonly tagged: string | null;
}

async function headsOf({ hub, repo, branch, tag }: PublishRequest): Promise<Heads> {
  const refs = await hub.refs(repo);
  const tagged = tag === null ? null : (refs.tags.get(tag) ?? null);
  const head = refs.branches.get(branch);
  if (head !== undefined) return { head, tagged };
  const from = refs.branches.get("main") ?? [...refs.branches.values()][0];
  if (from === undefined) throw new Fault("HUB_REFUSED", "stop", `${repo} has no branch to start ${branch} from; create one on its page`);
  await hub.createBranch(repo, branch, from);
  return { head: from, tagged };
}

const tagTaken = (tag: string, at: string): Fault =>
  new Fault(
    "HUB_REFUSED",
    "stop",
    `the tag ${tag} is there already and names commit ${at.slice(0, 12)}, which is not this dataset; a tag is never moved: choose another name`,
  );

interface Committed {
  readonly head: string;
  readonly url: string;
  readonly difference: Difference;
}

async function commitOnce(request: PublishRequest, onPlan: (difference: Difference) => void): Promise<Committed> {
  const { hub, repo, branch, tag, folder, files, title, description, progress } = request;
  const { head, tagged } = await headsOf(request);
  const difference = await differenceTo(folder, files, await hub.files(repo, head));
  const { changed, removed } = difference;
  const unchanged = changed.length + removed.length === 0;
  if (tag !== null && tagged !== null && (!unchanged || tagged !== head)) throw tagTaken(tag, tagged);
  if (unchanged) return { head, url: `${hub.address}/datasets/${repo}/commit/${head}`, difference };
  onPlan(difference);
  progress.start(
    "upload",
    changed.reduce((sum, { bytes }) => sum + bytes, 0),
    "bytes",
  );
  try {
    const from = changed.map(({ path }) => ({ path, from: join(folder, path) }));
    const made = await hub.commit(repo, { title, description, branch, parent: head, files: from, removed });
    return { head: made.commit, url: made.url, difference };
  } finally {
    progress.end();
  }
}

/** A commit whose answer was lost is found by looking again: nothing is left to change then, and what was planned before is what was done. */
async function commitUntilDone(request: PublishRequest): Promise<Committed> {
  let planned: Difference | null = null;
  for (let round = 1; ; round += 1) {
    try {
      const committed = await commitOnce(request, (difference) => {
        planned = difference;
      });
      return planned === null ? committed : { ...committed, difference: planned };
    } catch (error) {
      if (!(error instanceof HubMoved)) throw error;
      if (round >= mostRounds)
        throw new Fault(
          "HUB_UNREACHABLE",
          "retry",
          `${error.message}, ${mostRounds} times over, while publishing to ${request.repo}; nothing is half-published. Let whoever else writes there finish, then run the same command again`,
        );
      request.progress.say(`hub: ${error.message}; looking again`);
    }
  }
}

async function checkArrived({ hub, repo, folder, files }: PublishRequest, commit: string): Promise<void> {
  const { changed, removed } = await differenceTo(folder, files, await hub.files(repo, commit));
  const wrong = [...changed.map(({ path }) => path), ...removed];
  if (wrong.length > 0)
    throw new Fault(
      "HUB_REFUSED",
      "stop",
      `commit ${commit} of ${repo} does not hold what lies on disk: ${wrong.slice(0, 5).join(", ")}; publish again, and tell the hub's people if that does not help`,
    );
}

/**
 * Makes a branch of a dataset on the hub hold exactly these files, by one commit, which is all that anybody sees of it. Large files go
 * before it under their digests, so that a call that was broken off is gone on with, and one that was done already does nothing.
 */
export async function publishDataset(request: PublishRequest): Promise<Done> {
  const { hub, repo, tag } = request;
  await checkToken(request);
  const { created } = await makeSure(request);
  const { head, url, difference } = await commitUntilDone(request);
  await checkArrived(request, head);
  if (tag !== null && (await hub.refs(repo)).tags.get(tag) !== head) await hub.tag(repo, tag, head);
  const { changed, removed } = difference;
  return {
    commit: head,
    url,
    unchanged: changed.length + removed.length === 0,
    created,
    changed: changed.map(({ path }) => path),
    removed,
    sentBytes: request.sentBytes(),
  };
}
