import * as v from 'valibot';
import { TOKEN_BUDGET, type ToolAnswer } from './answer-budget.ts';
import type { CatalogApi } from './catalog-api.ts';

/** What a tool for assistants consists of, and the arguments that tools share. */

/** The kinds of assets by entity type. */
export type AssetPaths = ReadonlyMap<string, string>;

export type ToolContext = {
  readonly api: CatalogApi;
  readonly paths: AssetPaths;
  readonly now: number;
  /** How many assets the service reads for one answer about lineage. */
  readonly maxNodes: number;
  /** Whether the connection is configured to write. */
  readonly mayWrite: boolean;
};

/** What the answers of a tool contain besides what was left out, for clients that check it. */
export type AnswerShape = {
  readonly facts: v.ObjectEntries;
  /** The rows of each list. A call may ask for one list alone. */
  readonly lists: Readonly<Record<string, v.GenericSchema>>;
};

type ArgumentsSchema = v.StrictObjectSchema<v.ObjectEntries, undefined>;

export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly schema: ArgumentsSchema;
  readonly answers: AnswerShape;
  /** Whether the tool changes the catalog, and is offered only to callers who have switched that on. */
  readonly writes: boolean;
  readonly run: (context: ToolContext, input: unknown) => Promise<ToolAnswer>;
};

type ToolDeclaration<T extends ArgumentsSchema> = Omit<Tool, 'schema' | 'run' | 'writes'> & {
  readonly schema: T;
  readonly writes?: boolean;
  readonly run: (context: ToolContext, input: v.InferOutput<T>) => Promise<ToolAnswer>;
};

/** Declares a tool. Its arguments are validated before it runs. */
export const defineTool = <T extends ArgumentsSchema>({ run, writes = false, ...rest }: ToolDeclaration<T>): Tool => ({
  ...rest,
  writes,
  run: (context, input) => run(context, input as v.InferOutput<T>),
});

const MAX_NAME = 3072;

export const nameArgument = (description: string) =>
  v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_NAME), v.description(description));

export const textArgument = (description: string, most: number) =>
  v.pipe(v.string(), v.minLength(1), v.maxLength(most), v.description(description));

export const countArgument = (description: string, least: number, most: number, fallback: number) =>
  v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most), v.description(description)),
    fallback,
  );

export const choiceArgument = <const T extends readonly [string, ...string[]]>(description: string, options: T) =>
  v.pipe(v.picklist(options), v.description(description));

const maxTokens = countArgument(
  'Budget of the answer in tokens; rows beyond it are left out and counted',
  TOKEN_BUDGET.least,
  TOKEN_BUDGET.most,
  TOKEN_BUDGET.default,
);

/** The arguments by which the rest of an answer is read. */
export const answerArguments = {
  maxTokens,
  list: v.optional(nameArgument('The only list to answer, as "omitted" names it')),
  skip: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.description('How many rows of that list to skip'))),
} as const;

const omission = v.strictObject({ list: v.string(), count: v.optional(v.number()), more: v.string() });

/** The schema of an answer as a client gets it. */
export const answerSchema = ({ facts, lists }: AnswerShape) =>
  v.strictObject({
    notice: v.string(),
    ...facts,
    ...Object.fromEntries(Object.entries(lists).map(([name, row]) => [name, v.optional(v.array(row))])),
    omitted: v.optional(v.array(omission)),
  });

/** An asset in an answer. One that the caller may not see has no name. */
export const refSchema = v.strictObject({
  type: v.string(),
  fqn: v.optional(v.string()),
  hidden: v.optional(v.boolean()),
});

/** The asset that an answer is about. */
export const assetFacts = { type: v.string(), fqn: v.string() } as const;

export const assetName = nameArgument('Fully qualified name of the asset, for example shop_postgres.shop.sales.orders');

export const assetType = v.optional(
  nameArgument(
    'Entity type such as table, dashboard or pipeline; needed only where assets of several types share the name',
  ),
);
