// A contract has one result per moment.
CREATE CONSTRAINT contract_result_key IF NOT EXISTS FOR (result:ContractResult) REQUIRE result.key IS UNIQUE
