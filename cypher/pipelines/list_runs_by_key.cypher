// The runs of given moments, as they are kept.
UNWIND $keys AS key
MATCH (run:PipelineRun {key: key})
RETURN run.key AS key, run.json AS json
