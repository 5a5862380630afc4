// The outcomes of all tests are read by time, from the index alone.
CREATE INDEX test_result_outcome IF NOT EXISTS FOR (result:TestResult) ON (result.timestamp, result.caseId, result.status)
