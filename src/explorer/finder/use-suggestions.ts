import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { describeFailure } from '../api/failure.ts';
import { search } from '../api/search.ts';
import { type Suggestion, suggestionsOf } from '../parts/suggestions.ts';
import { useSettled } from '../parts/use-settled.ts';

/** Nobody types faster than this; a question per letter would only be thrown away. */
const PAUSE_MS = 150;
const SUGGESTIONS = 8;

export type Suggested = {
  readonly suggestions: readonly Suggestion[];
  /** The text that they are for. */
  readonly typed: string;
  /** What is said where there are none. */
  readonly note: string | undefined;
};

/** Searches for what is being typed, among some kinds or everything. */
export const useSuggestions = (text: string, index?: string): Suggested => {
  const typed = useSettled(text.trim(), PAUSE_MS);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['suggestions', typed, index],
    queryFn: ({ signal }) => search({ text: typed, size: SUGGESTIONS, ...(index ? { index } : {}) }, signal),
    enabled: typed !== '',
    placeholderData: keepPreviousData,
  });
  const isAnswered = text.trim() === typed && typed !== '';
  const note = error ? describeFailure(error) : data && !isPlaceholderData && 'Nothing is found.';
  const isEmpty = text.trim() === '' || typed === '';
  return {
    suggestions: isEmpty ? [] : (data?.hits ?? []).flatMap(suggestionsOf),
    typed,
    note: (isAnswered && note) || undefined,
  };
};
