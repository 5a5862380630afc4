// A job is found by its id.
CREATE CONSTRAINT Job_jobId IF NOT EXISTS FOR (n:Job) REQUIRE n.jobId IS UNIQUE
