// The results of a test are read by time, the newest first.
CREATE INDEX test_result_time IF NOT EXISTS FOR (result:TestResult) ON (result.caseId, result.timestamp)
