// Runs of a pipeline are read by time.
CREATE INDEX PipelineRun_time IF NOT EXISTS FOR (n:PipelineRun) ON (n.pipelineId, n.timestamp)
