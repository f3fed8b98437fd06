print(sum(len([object() for _ in range(20000)]) for _ in range(10)))
