import type { Json } from '../json.ts';
import type { EdgeType } from './edges.ts';

/** A filter of the list operation beside `service` and `domain`-like scopes. */
export type ListFilter =
  | {
      readonly by: 'scope';
      readonly idOf?: string;
      /** Requests only say that they want it, by a flag that means this; the kind knows below what. */
      readonly flag?: string;
    }
  | { readonly by: 'root' }
  | { readonly by: 'flag'; readonly property: string }
  | { readonly by: 'value'; readonly property: string; readonly values?: readonly string[] }
  | {
      /** Words that stand for values of a property, or for no condition; other words are refused unless they mean nothing. */
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
      /** Records at the end of an edge of the one that is given; of `from` there must be such a record. */
      readonly by: 'edge';
      readonly edge: EdgeType;
      readonly from?: string;
    }
  | { readonly by: 'target'; readonly edge: EdgeType }
  | { readonly by: 'ignored'; readonly text?: string };
