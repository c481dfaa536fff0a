import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  evaluationHit,
  fingerprintsOf,
  instanceKey,
  parseEvaluationList,
  plainRepository,
  repositoryOf,
} from "../../../stages/lib/decontamination.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const sha = "53e02a22972e9253aeded0e1981e6845e1e521fe";
const { list: bench } = parseEvaluationList("bench", "# ids\nastropy/astropy\nastropy__astropy-12907 # a comment\n");
const { list: pro } = parseEvaluationList("pro", `Owner-X/Web.App\ninstance_Owner-X__Web.App-${sha}-vnan\r\n`);
const lists = [bench, pro];

test.each([
  ["astropy/astropy", "astropy/astropy"],
  ["https://github.com/Pylons/pyramid.git", "Pylons/pyramid"],
  ["git@github.com:a/b", "a/b"],
  ["swesmith/pdfminer__pdfminer.six.1a8bd2f7", "pdfminer/pdfminer.six"],
  ["SWE-bench/astropy__astropy", "astropy/astropy"],
  ["swesmith_astropy__astropy.26d14786", "astropy/astropy"],
  ["mahmoud__glom.fb3c4e76.lm_rewrite__abc", "mahmoud/glom"],
  ["astropy", null],
  ["", null],
  ["a/b/c", null],
])("the repository %s is %s", (text, expected) => expect(plainRepository(text)).toBe(expected));

test.each([
  ["astropy__astropy-12907", "astropy/astropy"],
  ["astropy__astropy-12907_0", "astropy/astropy"],
  ["pydantic__pydantic.acb0f10f.pr_8316", "pydantic/pydantic"],
  [`instance_element-hq__element-web-${sha}-vnan`, "element-hq/element-web"],
  [`instance_internetarchive__openlibrary-${sha}-vfa6ff903cb27f336e17654595dd900fa943dcd91`, "internetarchive/openlibrary"],
  ["swebench/sweb.eval.x86_64.scikit-learn_1776_scikit-learn-13142:latest", "scikit-learn/scikit-learn"],
  ["docker.io/xingyaoww/sweb.eval.x86_64.project-monai_s_monai-6975", "project-monai/monai"],
  ["jyangballin/swesmith.x86_64.astropy_1776_astropy.26d14786", "astropy/astropy"],
  ["cronwell-month-ends", null],
])("the instance %s is of %s", (instance, expected) => expect(repositoryOf(instance)).toBe(expected));

describe("a hit", () => {
  test("by instance comes before one by repository, whatever the case and the spelling", () => {
    for (const instance of ["astropy__astropy-12907", "Astropy__Astropy-12907", "astropy_1776_astropy-12907"])
      expect(evaluationHit({ instance, repository: null }, lists)).toEqual({ list: "bench", by: "instance" });
    for (const instance of [`Owner-X__Web.App-${sha}`, `instance_owner-x__web.app-${sha}-v0f01c69f1e2528b935359cfe578530722bca2c59`])
      expect(evaluationHit({ instance, repository: null }, lists)).toEqual({ list: "pro", by: "instance" });
  });

  test("by repository is found in the row's field, under mirrors, and in the id alone", () => {
    const hit = { list: "bench", by: "repository" };
    expect(evaluationHit({ instance: "x", repository: "ASTROPY/astropy" }, lists)).toEqual(hit);
    expect(evaluationHit({ instance: "x", repository: "swesmith/astropy__astropy.26d14786" }, lists)).toEqual(hit);
    expect(evaluationHit({ instance: "astropy__astropy.26d14786.func__x", repository: null }, lists)).toEqual(hit);
    expect(evaluationHit({ instance: "astropy__astropy-1", repository: "someone/else" }, lists)).toEqual(hit);
  });

  test("is none for other repositories, whose names only begin alike", () => {
    expect(evaluationHit({ instance: "astropy__astropy-helpers-12", repository: "astropy/astropy-helpers" }, lists)).toBeNull();
    expect(evaluationHit({ instance: "astroid__astropy-12907", repository: null }, lists)).toBeNull();
    expect(evaluationHit({ instance: "cronwell", repository: null }, lists)).toBeNull();
  });
});

test("a list names its wrong lines", () => {
  const { list, wrong } = parseEvaluationList("mine", "a__b-1\ntwo words\nc/d\n\n#\na/b/c\n");
  expect(wrong).toEqual([2, 6]);
  expect([list.instances.size, list.repositories.size]).toEqual([1, 1]);
});

test("two spellings of an instance have one key", () => {
  expect(instanceKey(`instance_A__b-${sha}-vnan`)).toBe(instanceKey(`a__B-${sha}`));
});

describe("fingerprints", () => {
  const words = (from: number, to: number): string => Array.from({ length: to - from }, (_, i) => `w${from + i}`).join(" ");

  test("there is one for every window of 13 words, and none below", () => {
    expect(fingerprintsOf(words(0, 12), digest)).toEqual([]);
    expect(fingerprintsOf(words(0, 13), digest)).toEqual([digest(words(0, 13)).slice(0, 16)]);
    expect(fingerprintsOf(words(0, 20), digest)).toHaveLength(8);
  });

  test("case, punctuation and line breaks do not matter", () => {
    expect(fingerprintsOf(words(0, 15).toUpperCase().replaceAll(" ", ",\n-- "), digest)).toEqual(fingerprintsOf(words(0, 15), digest));
  });

  test("repeats count once", () => {
    expect(fingerprintsOf("a ".repeat(40), digest)).toHaveLength(1);
  });
});
