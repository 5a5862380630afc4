import type * as v from 'valibot';

/** Finds the schema of a part of a value, for suggestions in errors. */

type SchemaNode = {
  readonly kind: string;
  readonly pipe?: readonly SchemaNode[];
  readonly wrapped?: SchemaNode;
  readonly options?: readonly (SchemaNode | string)[];
  readonly entries?: Readonly<Record<string, SchemaNode>>;
  readonly item?: SchemaNode;
  readonly value?: SchemaNode;
  readonly getter?: (input: unknown) => SchemaNode;
};

/** One step into a value: the value, and the key of its part. */
export type PathStep = { readonly input?: unknown; readonly key?: unknown };

const isSchema = (node: SchemaNode | string): node is SchemaNode => typeof node !== 'string' && node.kind === 'schema';

/** The schemas that a value may have: the alternatives, wrapped schemas and steps of a pipe included. */
const alternativesOf = (node: SchemaNode, input: unknown): readonly SchemaNode[] => {
  const inner = [
    ...(node.pipe?.slice(1) ?? []),
    ...(node.wrapped ? [node.wrapped] : []),
    ...(node.options ?? []),
    ...(node.getter ? [node.getter(input)] : []),
  ];
  return [node, ...inner.filter(isSchema).flatMap((one) => alternativesOf(one, input))];
};

const schemaBelow = (node: SchemaNode, key: unknown): SchemaNode | undefined => {
  if (node.entries) return Object.hasOwn(node.entries, String(key)) ? node.entries[String(key)] : undefined;
  return node.item ?? node.value;
};

/** Answers the names of members and the words of enumerations that the schema knows at the end of a path. */
export const wordsAt = (
  schema: v.GenericSchema,
  path: readonly PathStep[],
  input: unknown,
): { readonly members: readonly string[]; readonly words: readonly string[] } => {
  let nodes: readonly SchemaNode[] = [schema as unknown as SchemaNode];
  for (const step of path)
    nodes = nodes
      .flatMap((node) => alternativesOf(node, step.input))
      .flatMap((node) => schemaBelow(node, step.key) ?? []);
  const found = nodes.flatMap((node) => alternativesOf(node, input));
  return {
    members: found.flatMap(({ entries }) => Object.keys(entries ?? {})),
    words: found.flatMap(({ options }) => options?.filter((option) => typeof option === 'string') ?? []),
  };
};
