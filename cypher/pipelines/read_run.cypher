// Returns what is known of a run: how it went, how far it has come, and how long its log is.
MATCH (run:PipelineRun {key: $key})
RETURN run.json AS json, run.progress AS progress, run.logPieces AS pieces, run.logLines AS lines
