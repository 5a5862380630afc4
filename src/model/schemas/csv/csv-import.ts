import { Flag, Integer, listOf, must, oneOf, shape, Text } from '../../values.ts';

/** What became of a file that came in. */
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

/** What the columns of a file mean. */
export const CsvDocumentation = shape('CsvDocumentation', { summary: must(Text), headers: must(listOf(CsvHeader)) });
