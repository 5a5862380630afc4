import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject } from '../../../model/json.ts';
import type { AnswerFit } from './answer-fit.ts';

/** Leaves out the members of assets and edges that nobody chose, and writes each reference of a compact answer once. */

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

const chooseDetails = (details: JsonObject, chosen: ReadonlySet<string>): MutableJsonObject =>
  Object.fromEntries(Object.entries(details).filter(([name]) => chosen.has(name)));

/** What an edge has that its reader may not have chosen: those who need it can ask for the edge itself. */
const countDetails = ({ sqlQuery, columnsLineage }: JsonObject): JsonObject => {
  const mappings = isArray(columnsLineage) ? columnsLineage.filter(isObject) : [];
  const pairs = mappings.reduce((sum, { fromColumns }) => sum + (isArray(fromColumns) ? fromColumns.length : 0), 0);
  return { ...(sqlQuery === undefined ? {} : { hasSql: true }), ...(pairs === 0 ? {} : { columnPairs: pairs }) };
};

export const createReferenceFitter = ({ fields, choices, edgeFields, isCompact }: AnswerFit): ReferenceFitter => {
  if (fields === undefined && edgeFields === undefined && !isCompact) return UNCHANGED;
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

  /** Who states the edge was asked for by itself, so that it stays, and only its references fit. */
  const fitAssertions = ({ assertions, ...edge }: JsonObject): JsonObject =>
    isArray(assertions) ? { ...edge, assertions: assertions.filter(isObject).map(fitMembers) } : edge;

  const fitEdge = (whole: JsonObject): JsonObject => {
    const edge = fitAssertions(whole);
    const details = edge['lineageDetails'];
    if (!isObject(details)) return edge;
    const { pipeline, ...rest } = edgeFields ? chooseDetails(details, edgeFields) : details;
    const fitted = isObject(pipeline) ? { ...rest, pipeline: keep(chooseMembers(pipeline)) } : rest;
    if (!edgeFields) return { ...edge, lineageDetails: fitted };
    const { description, ...ends } = edge;
    const told = description !== undefined && edgeFields.has('description') ? { description } : {};
    return { ...ends, ...told, ...countDetails(details), lineageDetails: fitted };
  };

  return {
    fitReference: (reference) => keep(chooseMembers(reference)),
    fitAsset: (asset) => keep(fitMembers(asset)),
    fitMembers,
    fitEdge,
    entities: () => (isCompact ? entities : undefined),
  };
};
