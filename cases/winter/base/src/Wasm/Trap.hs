-- | The ways in which a running module can fail. A trap ends the call, never
-- the interpreter.
module Wasm.Trap
  ( Trap (..)
  , describeTrap
  ) where

data Trap
  = TrapUnreachable
  | DivideByZero
  | IntegerOverflow
  | InvalidConversion
  | OutOfBoundsMemory
  | UndefinedElement
  | UninitializedElement
  | IndirectCallMismatch
  | CallStackExhausted
  | OutOfFuel
  | HostTrap String
  deriving (Eq, Show)

-- | In the words of the specification's tests where those have words for it.
describeTrap :: Trap -> String
describeTrap t = case t of
  TrapUnreachable -> "unreachable executed"
  DivideByZero -> "integer divide by zero"
  IntegerOverflow -> "integer overflow"
  InvalidConversion -> "invalid conversion to integer"
  OutOfBoundsMemory -> "out of bounds memory access"
  UndefinedElement -> "undefined element"
  UninitializedElement -> "uninitialized element"
  IndirectCallMismatch -> "indirect call type mismatch"
  CallStackExhausted -> "call stack exhausted"
  OutOfFuel -> "out of fuel: the limit of loop iterations and calls, or of time, is reached"
  HostTrap why -> why
