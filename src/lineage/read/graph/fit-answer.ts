import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import { createRedactor } from '../../../catalog/read/redaction.ts';
import { renderRef, type View } from '../../../catalog/read/render.ts';
import type { JsonObject, MutableJsonObject } from '../../../model/json.ts';
import { type AnswerFit, describesAssets, isPlainAnswer } from './answer-fit.ts';
import { createAssetGroups } from './asset-groups.ts';
import { type NodeDescription, readNodeDescriptions } from './node-descriptions.ts';
import { createReferenceFitter, type ReferenceFitter } from './reference-fitter.ts';

/** Renders what describes an asset: its service, owners, tier and domains. */
export const renderDescription = (described: NodeDescription | undefined, view: View): JsonObject => {
  const out: MutableJsonObject = {};
  if (described?.service) out['service'] = renderRef(described.service, view);
  out['owners'] = (described?.owners ?? []).map((owner) => renderRef(owner.node, view, owner.inherited));
  if (described?.tier !== undefined) out['tier'] = described.tier;
  out['domains'] = (described?.domains ?? []).map((domain) => renderRef(domain.node, view, domain.inherited));
  return out;
};

type AssetDescriptions = {
  /** Adds to a reference what describes the asset, where the caller chose that. */
  readonly describe: (reference: JsonObject) => JsonObject;
  /** Adds whatever assets may be grouped by. */
  readonly describeFully: (reference: JsonObject) => JsonObject;
};

const AS_IT_IS: AssetDescriptions = {
  describe: (reference) => reference,
  describeFully: (reference) => reference,
};

/** Reads what describes some assets that the caller sees, where the fit of the answer needs it. */
export const readAssetDescriptions = async (
  engine: Engine,
  fit: AnswerFit,
  view: View,
  ids: readonly string[],
): Promise<AssetDescriptions> => {
  const isChosen = describesAssets(fit);
  if (!isChosen && (fit.groupBy === undefined || fit.groupBy === 'type')) return AS_IT_IS;
  const described = await readNodeDescriptions(engine.graph, [...new Set(ids)]);
  const describeFully = (reference: JsonObject): JsonObject =>
    reference['hidden'] === true
      ? reference
      : { ...reference, ...renderDescription(described.get(String(reference['id'])), view) };
  return { describe: isChosen ? describeFully : AS_IT_IS.describe, describeFully };
};

type FittingAnswer = {
  readonly answer: JsonObject;
  /** The assets that may be grouped, with all that they may be grouped by. */
  readonly listAssets: () => readonly JsonObject[];
  readonly reshape: (answer: JsonObject, fitter: ReferenceFitter) => JsonObject;
};

/** Fits an answer. It is redacted before, because neither groups nor `entities` may name what the caller may not see. */
export const fitAnswer = async (
  engine: Engine,
  principal: Principal,
  fit: AnswerFit,
  { answer, listAssets, reshape }: FittingAnswer,
): Promise<JsonObject> => {
  if (isPlainAnswer(fit)) return answer;
  const redact = createRedactor(engine, principal);
  const [shown = answer] = redact ? await redact([answer]) : [answer];
  const fitter = createReferenceFitter(fit);
  const fitted = reshape(shown, fitter);
  const known = fitter.entities();
  const out = known ? { ...fitted, entities: Object.fromEntries(known) } : fitted;
  if (fit.groupBy === undefined) return out;
  const groups = createAssetGroups(fit.groupBy);
  const assets = listAssets();
  for (const asset of redact ? await redact(assets) : assets) groups.add(asset);
  return { ...out, groups: groups.list() };
};
