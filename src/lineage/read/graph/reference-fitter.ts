import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject } from '../../../model/json.ts';
import type { AnswerFit } from './answer-fit.ts';

/** Leaves out the members of assets that nobody chose, and writes each reference of a compact answer once. */

/** The members that hold references. */
const LINKS: ReadonlySet<string> = new Set(['service', 'owners', 'domains', 'tests', 'pipeline']);

export type ReferenceFitter = {
  /** Fits a reference: to an object with fewer members, or to its ID. */
  readonly fitReference: (reference: JsonObject) => Json;
  /** Fits an asset that the answer is about, with whatever it says of it. */
  readonly fitAsset: (asset: JsonObject) => Json;
  /** Fits the members of something that is no asset itself: the references in it, and what describes an asset. */
  readonly fitMembers: (object: JsonObject) => JsonObject;
  readonly fitEdge: (edge: JsonObject) => JsonObject;
  /** The references that were written as IDs, by ID; undefined for answers that are not compact. */
  readonly entities: () => ReadonlyMap<string, JsonObject> | undefined;
};

const UNCHANGED: ReferenceFitter = {
  fitReference: (reference) => reference,
  fitAsset: (asset) => asset,
  fitMembers: (object) => object,
  fitEdge: (edge) => edge,
  entities: () => undefined,
};

const mapLinks = (value: Json, fit: (reference: JsonObject) => Json): Json =>
  isArray(value) ? value.map((item) => (isObject(item) ? fit(item) : item)) : isObject(value) ? fit(value) : value;

export const createReferenceFitter = ({ fields, choices, isCompact }: AnswerFit): ReferenceFitter => {
  if (fields === undefined && !isCompact) return UNCHANGED;
  const leftOut = new Set(fields === undefined ? [] : choices.filter((name) => !fields.has(name)));
  const entities = new Map<string, JsonObject>();

  const keep = (asset: JsonObject): Json => {
    if (!isCompact) return asset;
    const id = String(asset['id']);
    entities.set(id, { ...entities.get(id), ...asset });
    return id;
  };

  const chooseMembers = (object: JsonObject): MutableJsonObject =>
    Object.fromEntries(Object.entries(object).filter(([name]) => !leftOut.has(name)));

  const fitMembers = (object: JsonObject): JsonObject => {
    const out = chooseMembers(object);
    // Whether a reference is inherited depends on the asset that refers, so the asset says it in a compact answer.
    const inherits: string[] = [];
    const fitLink = (reference: JsonObject): Json => {
      const chosen = chooseMembers(reference);
      if (isCompact && chosen['inherited'] === true) {
        inherits.push(String(chosen['id']));
        delete chosen['inherited'];
      }
      return keep(chosen);
    };
    for (const [name, value] of Object.entries(out)) {
      if (LINKS.has(name) && value !== undefined) out[name] = mapLinks(value, fitLink);
    }
    return inherits.length === 0 ? out : { ...out, inherits };
  };

  const fitEdge = (edge: JsonObject): JsonObject => {
    const details = edge['lineageDetails'];
    const pipeline = isObject(details) ? details['pipeline'] : undefined;
    if (!isObject(details) || !isObject(pipeline)) return edge;
    return { ...edge, lineageDetails: { ...details, pipeline: keep(chooseMembers(pipeline)) } };
  };

  return {
    fitReference: (reference) => keep(chooseMembers(reference)),
    fitAsset: (asset) => keep(fitMembers(asset)),
    fitMembers,
    fitEdge,
    entities: () => (isCompact ? entities : undefined),
  };
};
