import { Flag, Integer, listOf, must, oneOf, shape, Text } from '../../values.ts';

/** The result of an import from a CSV file. */
export const CsvImportResult = shape('CsvImportResult', {
  dryRun: must(Flag),
  status: must(oneOf(['success', 'partialSuccess', 'failure', 'aborted', 'running'])),
  abortReason: Text,
  numberOfRowsProcessed: must(Integer),
  numberOfRowsPassed: must(Integer),
  numberOfRowsFailed: must(Integer),
  importResultsCsv: Text,
});

const CsvHeader = shape('CsvHeader', {
  name: must(Text),
  required: must(Flag),
  description: must(Text),
  examples: must(listOf(Text)),
});

/** The meaning of a file's columns. */
export const CsvDocumentation = shape('CsvDocumentation', { summary: must(Text), headers: must(listOf(CsvHeader)) });
