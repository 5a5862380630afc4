// A test has one result per moment.
CREATE CONSTRAINT test_result_key IF NOT EXISTS FOR (result:TestResult) REQUIRE result.key IS UNIQUE
