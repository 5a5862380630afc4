// What is said to run through a pipeline is found by it.
CREATE INDEX Assertion_pipeline IF NOT EXISTS FOR (n:Assertion) ON (n.pipelineId)
