import * as v from 'valibot';
import { badRequest, CatalogError } from '../errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { ToolAnswer } from './answer-budget.ts';
import { type Asset, assetPath, findAsset } from './assets.ts';
import { type AnswerShape, answerArguments, nameArgument, type ToolContext } from './tool.ts';

/** Shows a change of an asset before and after, and writes it when nothing has changed since it was shown. */

/** The arguments that all writing tools share. A write needs the revision that a dry run answers. */
export const writeArguments = {
  dryRun: v.optional(
    v.pipe(v.boolean(), v.description('Whether only to show what would change; false writes, and needs revision')),
    true,
  ),
  revision: v.optional(nameArgument('The revision that the dry run of the same change answered')),
  ...answerArguments,
} as const;

export type WriteOptions = { readonly dryRun: boolean; readonly revision?: string | undefined };

const proposalFacts = {
  dryRun: v.boolean(),
  outcome: v.string(),
  revision: v.optional(v.string()),
} as const;

/** The shape of the answers of a writing tool: its own facts, and the rows before and after. */
export const proposalAnswers = (facts: v.ObjectEntries, row: v.GenericSchema): AnswerShape => ({
  facts: { ...facts, ...proposalFacts },
  lists: { before: row, after: row },
});

/** An asset to change, as it is now. */
export type AssetState = { readonly asset: Asset; readonly record: JsonObject; readonly revision: string };

export const readAssetState = async (
  context: ToolContext,
  { fqn, type }: { readonly fqn: string; readonly type?: string | undefined },
  fields?: string,
): Promise<AssetState> => {
  const asset = await findAsset(context, fqn, type);
  const { text, headers } = await context.api.read({ path: assetPath(asset.path, asset.fqn), query: { fields } });
  return { asset, record: JSON.parse(text) as JsonObject, revision: headers.get('etag') ?? '' };
};

/** What a tool would change. The lists show the changed member before and after. */
export type Proposal = {
  readonly facts: JsonObject;
  readonly before: readonly Json[];
  readonly after: readonly Json[];
  readonly isSame: boolean;
  /** The revision of what was read to make the proposal. */
  readonly revision: string;
  /** Sends the change to the API, which checks it and the caller's rights also in a dry run. */
  readonly send: (dryRun: boolean) => Promise<void>;
};

const staleProposal = () =>
  new CatalogError(
    'conflict',
    'Nothing was written: the asset has changed since the dry run. Call again with dryRun=true to see its present state',
  );

const STALE_CODES: readonly string[] = ['conflict', 'precondition_failed'];

const sendProposal = async (proposal: Proposal, { dryRun, revision }: WriteOptions): Promise<void> => {
  if (!dryRun && revision === undefined) {
    throw badRequest('[revision must be given: call with dryRun=true first, and pass on the revision that it answers]');
  }
  if (!dryRun && revision !== proposal.revision) throw staleProposal();
  if (proposal.isSame) return;
  try {
    await proposal.send(dryRun);
  } catch (failure) {
    throw failure instanceof CatalogError && STALE_CODES.includes(failure.code) ? staleProposal() : failure;
  }
};

const DRY_RUN_HINT =
  'Nothing was written. The service has checked the change and your rights: to write it, call again with dryRun=false and this revision.';

const outcomeOf = ({ isSame, revision }: Proposal, dryRun: boolean): JsonObject => {
  if (isSame) return { outcome: 'Nothing to change.' };
  return dryRun ? { outcome: DRY_RUN_HINT, revision } : { outcome: 'Written.' };
};

export const answerProposal = async (proposal: Proposal, options: WriteOptions): Promise<ToolAnswer> => {
  const { dryRun } = options;
  await sendProposal(proposal, options);
  return {
    facts: { ...proposal.facts, dryRun, ...outcomeOf(proposal, dryRun) },
    lists: [
      { name: 'before', rows: proposal.before },
      { name: 'after', rows: proposal.after },
    ],
  };
};

/** Changes an asset in the name of the caller, unless it has another revision. History names the change automated. */
export const patchAsset = async (
  { api }: ToolContext,
  { asset, revision }: AssetState,
  operations: readonly JsonObject[],
  dryRun: boolean,
): Promise<void> => {
  await api.read({
    method: 'PATCH',
    path: `${asset.path}/${asset.id}`,
    query: { changeSource: 'Automated', dryRun },
    body: operations,
    mediaType: 'application/json-patch+json',
    condition: { 'if-match': revision },
  });
};
