import { notFound, recordNotFound } from '../../errors.ts';
import type { Json, JsonObject, MutableJsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { parseVersion } from '../../model/version.ts';
import type { Engine, Writer } from '../engine.ts';
import { readVersion, readVersions } from '../queries.ts';
import { permit } from './facts.ts';
import { keptFields, writeFields } from './fields.ts';
import { keptForm } from './kept.ts';
import type { Snapshot } from './snapshot.ts';

/** Only members of the contract leave the house, also from states that an older program wrote. */
const known = (kind: Kind, state: JsonObject): JsonObject => {
  const kept = keptFields(kind);
  const isKept = (name: string) => kind.fieldNames.has(name) && (!kind.gatedNames.has(name) || kept.has(name));
  const out: MutableJsonObject = {};
  for (const [name, value] of Object.entries(state)) if (isKept(name)) out[name] = value;
  return out;
};

const find = async (engine: Engine, { kind, principal }: Writer, id: string): Promise<Snapshot> => {
  const record = await engine.store.record(kind, { id }, writeFields(kind));
  if (!record) throw recordNotFound(kind.entityType, id);
  await permit(engine, principal, ['ViewBasic'], record);
  return record;
};

/** A state as it was kept, as far as readers may see it. */
export const parseState = (kind: Kind, json: string): JsonObject => known(kind, JSON.parse(json) as JsonObject);

/** What a record was at one version, if that is not what it is now. */
export const formerState = async (
  engine: Engine,
  kind: Kind,
  id: string,
  version: number,
): Promise<JsonObject | undefined> => {
  const [former] = await engine.graph.read(readVersion, { id, version });
  return former ? parseState(kind, former.json) : undefined;
};

/** All states of a record as JSON texts, newest first; the first is the present one. */
export const listVersions = async (engine: Engine, reader: Writer, id: string): Promise<JsonObject> => {
  const record = await find(engine, reader, id);
  const former = await engine.graph.read(readVersions, { id });
  const states: Json[] = [
    JSON.stringify(keptForm(engine, record)),
    ...former.map((row) => JSON.stringify(parseState(reader.kind, row.json))),
  ];
  return { entityType: reader.kind.entityType, versions: states };
};

/** The record as it was at one version. */
export const readOneVersion = async (engine: Engine, reader: Writer, id: string, text: string): Promise<JsonObject> => {
  const record = await find(engine, reader, id);
  const version = parseVersion(text);
  if (version === record.version) return keptForm(engine, record);
  const former = version === undefined ? undefined : await formerState(engine, reader.kind, id, version);
  if (!former) throw notFound(`${reader.kind.entityType} instance for ${id} and version ${text} not found`);
  return former;
};
