import { isObject, type Json, type JsonObject, member } from '../model/json.ts';
import { jsonItems, jsonObject, jsonObjects, nonBlankText } from '../model/json-parts.ts';

/** Reads the files that dbt leaves behind. What is not there or of another type is read as nothing. */

/** The files of one `target` folder; only the manifest has to be there. */
export type DbtArtifacts = {
  readonly manifest: JsonObject;
  readonly catalog: JsonObject | undefined;
  readonly runResults: JsonObject | undefined;
};

export const memberText = (holder: JsonObject, name: string): string | undefined => nonBlankText(member(holder, name));

export const memberObject = (holder: JsonObject, name: string): JsonObject => jsonObject(member(holder, name));

/** The texts of a list; dbt also writes a single one without a list. */
export const memberTexts = (holder: JsonObject, name: string): readonly string[] => {
  const value = member(holder, name);
  if (typeof value === 'string') return [value];
  return jsonItems(value).filter((item): item is string => typeof item === 'string');
};

export const memberObjects = (holder: JsonObject, name: string): readonly JsonObject[] =>
  jsonObjects(member(holder, name));

/** The objects of a map, by their keys. */
export const memberEntries = (holder: JsonObject, name: string): readonly (readonly [string, JsonObject])[] =>
  Object.entries(memberObject(holder, name)).flatMap(([key, value]: [string, Json | undefined]) =>
    value !== undefined && isObject(value) ? [[key, value] as const] : [],
  );

/** The oldest manifests that name the nodes of a test (dbt 1.3). */
const OLDEST_MANIFEST = 7;

/** Why the file is no manifest that can be read, or undefined. */
export const refuseManifest = (manifest: JsonObject): string | undefined => {
  const version = memberText(memberObject(manifest, 'metadata'), 'dbt_schema_version');
  const number = Number(/\/manifest\/v(\d+)/.exec(version ?? '')?.[1] ?? Number.NaN);
  if (Number.isNaN(number)) return 'it is no manifest of dbt';
  return number < OLDEST_MANIFEST
    ? `its version is ${number}; versions from ${OLDEST_MANIFEST} are read (dbt 1.3 and newer)`
    : undefined;
};
