import { nearestOf } from '../model/nearest.ts';
import type { Fault } from '../model/validate.ts';
import { integerFault, MOMENT_FAULT, momentOf } from './query-parameters.ts';
import type { QueryParameter } from './route.ts';

/** Compares the query of a request with what its route declares, so that one answer names every fault. */

const boundOf = (schema: QueryParameter['schema'], keyword: string, fallback: number): number => {
  const bound = schema[keyword];
  return typeof bound === 'number' ? bound : fallback;
};

const choicesOf = ({ enum: choices }: QueryParameter['schema']): readonly string[] =>
  Array.isArray(choices) ? choices.map(String) : [];

const isTruth = (text: string): boolean => ['true', 'false'].includes(text.toLowerCase());

const isChoice = (choices: readonly string[], text: string): boolean =>
  choices.some((choice) => choice.toLowerCase() === text.toLowerCase());

/** What is wrong with a value, worded as the readers of `query-parameters.ts` word it. */
const constraintBroken = (schema: QueryParameter['schema'], text: string): string | undefined => {
  if (schema.type === 'integer')
    return integerFault(text, boundOf(schema, 'minimum', -Infinity), boundOf(schema, 'maximum', Infinity));
  if (schema.type === 'boolean') return isTruth(text) ? undefined : 'must be true or false';
  // Only moments are numbers or texts.
  if (schema.type !== 'string') return momentOf(text) === undefined ? MOMENT_FAULT : undefined;
  const choices = choicesOf(schema);
  return choices.length === 0 || isChoice(choices, text) ? undefined : `must be one of ${choices.join(', ')}`;
};

/**
 * Lists the declared parameters whose values are wrong. A parameter without a value counts as absent. Handlers check
 * again what they read, because a declaration cannot express every rule.
 */
export const listValueFaults = (declared: readonly QueryParameter[], query: URLSearchParams): readonly Fault[] =>
  declared.flatMap(({ name, schema }): Fault[] => {
    const text = query.get(name);
    const broken = text ? constraintBroken(schema, text) : undefined;
    if (!text || broken === undefined) return [];
    return [{ text: `[${name} ${broken}]`, suggest: () => nearestOf(text, choicesOf(schema)) }];
  });
