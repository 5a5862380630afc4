import * as v from 'valibot';
import type { JsonObject } from '../model/json.ts';
import type { AnswerList } from './answer-budget.ts';
import { answerArguments, countArgument, nameArgument } from './tool.ts';

/** The pages in which the service answers long lists: how tools ask for one, and what their answers tell of the rest. */

/** The service answers no longer pages. */
export const MAX_ROWS = 1000;

/** The arguments of tools whose lists come in pages. */
export const pageArguments = (rows: string, fallback: number) =>
  ({
    limit: countArgument(`Maximum number of ${rows}`, 1, MAX_ROWS, fallback),
    after: v.optional(nameArgument('Cursor of the next page, as "omitted" names it')),
    ...answerArguments,
  }) as const;

/** What an answer says when the service could not look at everything. */
export const pageFacts = { incomplete: v.optional(v.string()) } as const;

type PageInput = { readonly limit: number; readonly after?: string | undefined };

type ListPage = { readonly facts: JsonObject; readonly list: Pick<AnswerList, 'more' | 'rest'> };

/** Says what lies behind a page of `count` rows, and how to get it; `narrower` says how to ask for less. */
export const describePage = (answer: JsonObject, input: PageInput, count: number, narrower: string): ListPage => {
  const { total, after, truncated } = answer['paging'] as JsonObject;
  // A later page does not say how many rows lie before it.
  const behind = input.after === undefined && typeof total === 'number' ? { count: total - count } : {};
  return {
    facts: truncated === true ? { incomplete: `The service did not look at everything: ${narrower}` } : {},
    list: {
      more: narrower,
      ...(typeof after === 'string' ? { rest: { ...behind, more: `after=${after}` } } : {}),
    },
  };
};
