// The present edges that run through a pipeline are found by it.
CREATE INDEX Feeds_pipeline IF NOT EXISTS FOR ()-[e:FEEDS]-() ON (e.pipelineId)
