// Lists the stored runs with the given keys.
UNWIND $keys AS key
MATCH (run:PipelineRun {key: key})
RETURN run.key AS key, run.json AS json
