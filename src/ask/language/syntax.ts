import type { TextPlace } from './query-fault.ts';

/**
 * What a query consists of, as `parse-query.ts`, `parse-pattern.ts` and `parse-expression.ts` read it. Nothing of the
 * query's own text reaches the database: `translate/` writes a statement of its own from this.
 */

/** The names of variables, parameters, labels, edges, properties and functions are as they were given. */
export type Named = { readonly name: string; readonly place: TextPlace };

export type CaseBranch = { readonly when: Expression; readonly result: Expression };

export type MapEntry = { readonly key: Named; readonly value: Expression };

/** An entry of a map projection: `.name`, `.*` or `key: value`. */
export type ProjectionEntry =
  | { readonly take: 'property'; readonly key: Named }
  | { readonly take: 'all'; readonly place: TextPlace }
  | { readonly take: 'value'; readonly key: Named; readonly value: Expression };

/** What is done for each entry of a list: `name IN list WHERE condition`. */
export type Loop = { readonly item: Named; readonly list: Expression; readonly where?: Expression };

export type Expression = { readonly place: TextPlace } & (
  | { readonly is: 'literal'; readonly value: string | number | boolean | null; readonly isInteger?: boolean }
  | { readonly is: 'parameter'; readonly name: string }
  | { readonly is: 'variable'; readonly name: string }
  | { readonly is: 'property'; readonly of: Expression; readonly key: Named }
  | { readonly is: 'element'; readonly of: Expression; readonly at: Expression }
  | { readonly is: 'slice'; readonly of: Expression; readonly from?: Expression; readonly to?: Expression }
  | { readonly is: 'call'; readonly name: string; readonly isDistinct: boolean; readonly args: readonly Expression[] }
  | { readonly is: 'countAll' }
  | { readonly is: 'list'; readonly items: readonly Expression[] }
  | { readonly is: 'map'; readonly entries: readonly MapEntry[] }
  | { readonly is: 'projection'; readonly of: Expression; readonly entries: readonly ProjectionEntry[] }
  | { readonly is: 'binary'; readonly sign: string; readonly left: Expression; readonly right: Expression }
  | { readonly is: 'unary'; readonly sign: '-' | '+' | 'NOT'; readonly of: Expression }
  | { readonly is: 'isNull'; readonly of: Expression; readonly isNegated: boolean }
  | { readonly is: 'hasLabel'; readonly of: Expression; readonly labels: LabelChoice }
  | {
      readonly is: 'case';
      readonly subject?: Expression;
      readonly branches: readonly CaseBranch[];
      readonly otherwise?: Expression;
    }
  | { readonly is: 'comprehension'; readonly loop: Loop; readonly result?: Expression }
  | { readonly is: 'quantifier'; readonly word: 'all' | 'any' | 'none' | 'single'; readonly loop: Loop }
  | {
      readonly is: 'reduce';
      readonly sum: Named;
      readonly initial: Expression;
      readonly loop: Loop;
      readonly step: Expression;
    }
  | {
      readonly is: 'patternList';
      readonly pattern: Pattern;
      readonly where?: Expression;
      readonly result: Expression;
    }
  | { readonly is: 'subquery'; readonly word: 'EXISTS' | 'COUNT'; readonly query: SingleQuery }
);

/** Labels that a node must have: one of each list. */
export type LabelChoice = readonly (readonly Named[])[];

export type NodePattern = {
  readonly place: TextPlace;
  readonly variable?: Named;
  readonly labels: LabelChoice;
  readonly properties: readonly MapEntry[];
  readonly where?: Expression;
};

export type EdgePattern = {
  readonly place: TextPlace;
  readonly variable?: Named;
  readonly types: readonly Named[];
  readonly direction: 'out' | 'in' | 'both';
  /** How many edges in a row; absent for exactly one. */
  readonly length?: { readonly least: number; readonly most: number };
  readonly properties: readonly MapEntry[];
  readonly where?: Expression;
};

export type Pattern = {
  readonly path?: Named;
  readonly start: NodePattern;
  readonly steps: readonly { readonly edge: EdgePattern; readonly node: NodePattern }[];
};

export type ProjectionItem = { readonly value: Expression; readonly alias?: Named; readonly title: string };

export type SortItem = { readonly value: Expression; readonly isDescending: boolean };

export type Projection = {
  readonly place: TextPlace;
  readonly isDistinct: boolean;
  /** `*`: all variables, before the items. */
  readonly takesAll: boolean;
  readonly items: readonly ProjectionItem[];
  readonly order: readonly SortItem[];
  readonly skip?: Expression;
  readonly limit?: Expression;
};

export type Clause = { readonly place: TextPlace } & (
  | {
      readonly is: 'match';
      readonly isOptional: boolean;
      readonly patterns: readonly Pattern[];
      readonly where?: Expression;
    }
  | { readonly is: 'with'; readonly projection: Projection; readonly where?: Expression }
  | { readonly is: 'unwind'; readonly list: Expression; readonly item: Named }
  | { readonly is: 'return'; readonly projection: Projection }
);

export type SingleQuery = { readonly place: TextPlace; readonly clauses: readonly Clause[] };

export type Query = {
  readonly parts: readonly SingleQuery[];
  /** Whether rows that several parts answer are repeated. */
  readonly keepsDuplicates: boolean;
};
