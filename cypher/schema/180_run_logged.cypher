// The runs of a pipeline that have logs are found in the order in which they began to log.
CREATE INDEX PipelineRun_logged IF NOT EXISTS FOR (n:PipelineRun) ON (n.pipelineId, n.loggedAt)
