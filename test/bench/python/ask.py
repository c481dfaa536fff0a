"""Sends N chat requests with AsyncOpenAI, at most K in flight. usage: ask.py BASE_URL N K"""

import asyncio
import sys

from openai import AsyncOpenAI

base, calls, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


async def main():
    client = AsyncOpenAI(base_url=base, api_key="none", max_retries=0)
    places = asyncio.Semaphore(at_once)

    async def ask(number):
        async with places:
            await client.chat.completions.create(
                model="fake-model", messages=[{"role": "user", "content": f"{number} " + "some words of a fold " * 1000}], max_tokens=1000
            )

    await asyncio.gather(*(ask(number) for number in range(calls)))


asyncio.run(main())
