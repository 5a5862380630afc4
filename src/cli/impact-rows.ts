import { listNames, objectOf, readList, textOf } from './catalog-client.ts';

/** Shows the assets that a change affects, in the order in which the service names them: the worst first. */

export const IMPACT_HEAD: readonly string[] = ['Certainty', 'Asset', 'Owners', 'Contract', 'Tests'];

/** The cells of the rows `affected` of an answer. */
export const readImpactRows = (affected: unknown): readonly (readonly string[])[] =>
  readList(affected).map((row) => {
    const entity = objectOf(row['entity']);
    const isBroken = readList(row['contracts']).some(
      ({ broken: clauses }) => Array.isArray(clauses) && clauses.length > 0,
    );
    return [
      textOf(row['certainty']),
      entity['hidden'] === true ? '(hidden)' : textOf(entity['fullyQualifiedName']),
      listNames(row['owners']),
      isBroken ? 'broken' : '',
      String(readList(row['tests']).length || ''),
    ];
  });
