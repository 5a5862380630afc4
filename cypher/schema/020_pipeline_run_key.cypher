// A run of a pipeline is its pipeline and its moment.
CREATE CONSTRAINT PipelineRun_key IF NOT EXISTS FOR (n:PipelineRun) REQUIRE n.key IS UNIQUE
