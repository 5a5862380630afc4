import { useQuery } from '@tanstack/react-query';
import { readTests } from '../api/tests.ts';

/** The tests of a table and of its columns, with the latest result of each. */
export const useTests = (fqn: string, isWanted = true) =>
  useQuery({
    queryKey: ['tests of', fqn],
    queryFn: ({ signal }) => readTests(fqn, signal),
    enabled: isWanted,
  });
