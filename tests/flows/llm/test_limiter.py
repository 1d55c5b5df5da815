import asyncio

from flows.llm.limiter import Limiter, Load


async def _meet(limiter: Limiter, load: Load, times: int) -> None:
    """Fill every slot, then end one request after another and begin the next."""
    tickets = [await limiter.acquire() for _ in range(limiter.limit)]
    for _ in range(times):
        limiter.release(tickets.pop(0), load)
        while limiter.in_flight < limiter.limit:
            tickets.append(await limiter.acquire())
    for ticket in tickets:
        limiter.release(ticket, "unknown")


def test_it_grows_while_the_server_keeps_up_and_no_further_than_allowed() -> None:
    async def run() -> None:
        limiter = Limiter(64)
        began = limiter.limit
        await _meet(limiter, "ok", 20)
        assert began < limiter.limit < 64
        await _meet(limiter, "ok", 500)
        assert limiter.limit == 64

    asyncio.run(run())


def test_replies_that_come_together_each_count_for_its_growth() -> None:
    async def run() -> None:
        limiter = Limiter(64)
        for after in (24, 36, 54, 64):
            tickets = [await limiter.acquire() for _ in range(limiter.limit)]
            for ticket in tickets:
                limiter.release(ticket, "ok")
            assert limiter.limit == after

    asyncio.run(run())


def test_it_does_not_grow_while_slots_stay_free() -> None:
    async def run() -> None:
        limiter = Limiter(64)
        began = limiter.limit
        for _ in range(100):
            limiter.release(await limiter.acquire(), "ok")
        assert limiter.limit == began

    asyncio.run(run())


def test_it_falls_to_one_while_everything_fails_and_rises_again() -> None:
    async def run() -> None:
        limiter = Limiter(64)
        await _meet(limiter, "ok", 500)
        for _ in range(40):
            await _meet(limiter, "overload", limiter.limit)
        assert limiter.limit == 1
        await _meet(limiter, "ok", 130)
        assert limiter.limit == 64

    asyncio.run(run())


def test_a_few_faults_do_not_slow_it_down() -> None:
    async def run() -> None:
        limiter = Limiter(64)
        await _meet(limiter, "ok", 500)
        for _ in range(50):
            await _meet(limiter, "overload", 1)
            await _meet(limiter, "ok", 19)
        assert limiter.limit == 64

    asyncio.run(run())


def test_faults_of_requests_from_before_it_fell_count_once() -> None:
    async def run() -> None:
        limiter = Limiter(64)
        await _meet(limiter, "ok", 500)
        tickets = [await limiter.acquire() for _ in range(64)]
        for ticket in tickets:
            limiter.release(ticket, "overload")
        assert limiter.limit == int(64 * 0.7)
        # Nor do they keep it from rising.
        await _meet(limiter, "ok", 64)
        assert limiter.limit == 64

    asyncio.run(run())


def test_slots_are_given_in_the_order_of_asking() -> None:
    async def run() -> None:
        limiter = Limiter(1)
        order: list[int] = []

        async def ask(number: int) -> None:
            ticket = await limiter.acquire()
            order.append(number)
            await asyncio.sleep(0)
            limiter.release(ticket, "ok")

        await asyncio.gather(*(ask(number) for number in range(5)))
        assert order == [0, 1, 2, 3, 4]
        assert limiter.in_flight == 0

    asyncio.run(run())


def test_who_gives_up_in_line_or_just_behind_it_leaves_no_slot_taken() -> None:
    async def run() -> None:
        limiter = Limiter(1)
        ticket = await limiter.acquire()
        waiting = [asyncio.create_task(limiter.acquire()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        limiter.release(ticket, "ok")
        waiting[1].cancel()
        await asyncio.sleep(0)
        ticket = await waiting[2]
        limiter.release(ticket, "ok")
        assert limiter.in_flight == 0

    asyncio.run(run())
