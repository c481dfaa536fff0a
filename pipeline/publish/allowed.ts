/**
 * What of an export may go to the Hub: these names and no others, so that logs, recipes, journals or a user's own notes can never go by
 * being left in the folder.
 */
const allowed: readonly RegExp[] = [
  /^(?:README\.md|croissant\.json|stats\.json|funnel\.svg|runtime\.(?:json|yaml)|CITATION\.cff)$/,
  /^[a-z][a-z-]*\/(?:README\.md|schema\.json)$/,
  /^[a-z][a-z-]*\/[a-z]+\/(?:train|validation)-\d{5}-of-\d{5}\.parquet$/, // <layout>/<kind>/
  /^[a-z][a-z-]*\/(?:train|validation|rows)-\d{5}-of-\d{5}\.parquet$/,
  /^[a-z][a-z-]*\/[a-z]+\/(?:[a-z]+\/)?(?:data-[a-z]+\.arrow|state\.json|dataset_info\.json|dataset_dict\.json)$/, // save_to_disk
  /^audit\/(?:(?:kept|rejected)-\d{5}-of-\d{5}\.parquet|audit\.json)$/,
  /^(?:configs|launch)\/(?:[\w-]+\/){0,3}[\w-]+(?:\.[\w-]+)?\.(?:ya?ml|json|py|sh|md|jinja|sbatch|txt|toml)$/,
];

/** `/`-separated path from the top of the export. */
export const mayGo = (path: string): boolean => allowed.some((pattern) => pattern.test(path));
