import type { Json } from '../json.ts';
import type { EdgeType } from './edges.ts';

/** A filter of the list operation, in addition to the scopes such as `service` and `domain`. */
export type ListFilter =
  | {
      readonly by: 'scope';
      readonly idOf?: string;
      /** The description of the parameter where it is a flag. The kind's `normaliseFilters` then supplies the scope. */
      readonly flag?: string;
    }
  | { readonly by: 'root' }
  | { readonly by: 'flag'; readonly property: string }
  | { readonly by: 'value'; readonly property: string; readonly values?: readonly string[] }
  | {
      /**
       * Words that map to values of a property, or to no condition. Other words are refused unless the filter ignores
       * them.
       */
      readonly by: 'word';
      readonly property: string;
      readonly words: Readonly<Record<string, Json | undefined>>;
      readonly lenient?: boolean;
    }
  | { readonly by: 'item'; readonly property: string }
  | { readonly by: 'name'; readonly property: string }
  | { readonly by: 'filled' }
  | { readonly by: 'domain' }
  | {
      /** Selects records by an edge from a given record. A record of the kinds in `from` must exist. */
      readonly by: 'edge';
      readonly edge: EdgeType;
      readonly from?: string;
    }
  | { readonly by: 'target'; readonly edge: EdgeType }
  | {
      /** Selects records by a regular expression for their own name, or for that of an ancestor. */
      readonly by: 'pattern';
      /** The place of the name in the record's fully qualified name. */
      readonly part: number;
    }
  | {
      /** Says how the patterns of the same request are meant. */
      readonly by: 'patternOption';
      readonly words: readonly [usual: string, other: string];
      readonly text: string;
    }
  | { readonly by: 'ignored'; readonly text?: string };

/** The filters by regular expressions for names, which are given from the outermost ancestor to the record itself. */
export const patternFilters = (...names: readonly string[]): Readonly<Record<string, ListFilter>> => ({
  ...Object.fromEntries(names.map((name, at) => [`${name}Regex`, { by: 'pattern', part: at + 1 } as const])),
  regexMode: {
    by: 'patternOption',
    words: ['include', 'exclude'],
    text: 'Whether names that match are returned or left out',
  },
  regexFilterByFqn: {
    by: 'patternOption',
    words: ['false', 'true'],
    text: 'Whether expressions are for fully qualified names',
  },
});
