"""client.py legacy|modern URL KEY: a client of the Python SDK, 1.x or 2.x; see call.mjs."""
import asyncio
import sys
from importlib.metadata import version

MODE, URL, KEY = sys.argv[1:]
HEADERS = {"Authorization": f"Bearer {KEY}"}


async def serve(call, about):
    async def must(name, arguments):
        result = await call(name, arguments)
        if getattr(result, "is_error", None) or getattr(result, "isError", None):
            raise RuntimeError(result.content[0].text)
        return getattr(result, "structured_content", None) or getattr(result, "structuredContent", None)

    await must("create_project", {"name": "kept"})
    print(f"connected with {about}", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        title = line.strip()
        try:
            await must("write_memory", {"title": title, "content": title})
            if MODE == "modern":
                await must("read_graph", {"project": "kept"})
            elif (now := await must("get_current_project", {}))["name"] != "kept":
                raise RuntimeError(f"the project is {now}")
            print(f"ok {title}", flush=True)
        except Exception as e:  # noqa: BLE001 - run.mjs decides
            print("failed", repr(e).replace("\n", " "), flush=True)


async def old():
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async with streamablehttp_client(URL, headers=HEADERS) as (read, write, _):
        async with ClientSession(read, write) as session:
            about = (await session.initialize()).protocolVersion
            await serve(session.call_tool, about)


async def new():
    import httpx2
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    async with httpx2.AsyncClient(headers=HEADERS, timeout=30) as http:
        transport = streamable_http_client(URL, http_client=http)
        async with Client(transport, mode="legacy" if MODE == "legacy" else "2026-07-28") as client:
            await serve(client.call_tool, client.protocol_version)


asyncio.run(old() if version("mcp").startswith("1.") else new())
