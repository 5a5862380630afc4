"""Asks a service by the published client of the Model Context Protocol, and prints what it sees as JSON.

Arguments: the transport (http or stdio) and a JSON object with where to connect and what to call. The client checks the
structured content of every answer against the schema that the tool declares.
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


def reason(failure):
    """What a person reads of a failure, whatever groups of the runtime it is wrapped in."""
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return {"error": type(failure).__name__, "message": str(failure)}


def open_transport(transport, given):
    if transport == "stdio":
        return stdio_client(StdioServerParameters(**given["server"]))
    return streamable_http_client(given["url"], http_client=httpx2.AsyncClient(headers=given["headers"], timeout=60))


async def attempt(work):
    try:
        return await work
    except Exception as failure:
        return reason(failure)


def describe_result(result):
    if isinstance(result, dict):
        return result
    return {
        "isError": bool(result.is_error),
        "texts": [content.text for content in result.content],
        "structured": result.structured_content,
    }


async def ask(client, given):
    tools = (await client.list_tools()).tools
    resources = (await client.list_resources()).resources
    templates = (await client.list_resource_templates()).resource_templates
    prompts = (await client.list_prompts()).prompts
    calls = []
    for name, arguments in given["calls"]:
        calls.append({"tool": name, **describe_result(await attempt(client.call_tool(name, arguments)))})
    page = await attempt(client.read_resource(given["resource"]))
    filled = [await client.get_prompt(name, arguments) for name, arguments in given["prompts"]]
    return {
        "version": client.protocol_version,
        "server": client.server_info.name,
        "instructions": client.instructions,
        "tools": [{"name": tool.name, "hasOutput": tool.output_schema is not None} for tool in tools],
        "resources": [str(resource.uri) for resource in resources],
        "templates": [template.uri_template for template in templates],
        "prompts": [prompt.name for prompt in prompts],
        "calls": calls,
        "page": page if isinstance(page, dict) else page.contents[0].text,
        "filled": [one.messages[0].content.text for one in filled],
    }


async def main():
    transport, text = sys.argv[1:]
    given = json.loads(text)
    try:
        async with Client(open_transport(transport, given), mode=given["mode"]) as client:
            answer = await ask(client, given)
    except BaseException as failure:
        answer = reason(failure)
    print(json.dumps(answer))


asyncio.run(main())
