-- | What a WebAssembly 1.0 module is, as the decoder leaves it: one data type
-- for each part of the specification's abstract syntax.
--
-- Floats are kept as their bit patterns everywhere, so that the payload of a
-- NaN survives constants, locals, memory and calls.
module Wasm.Syntax
  ( ValType (..), FuncType (..), Limits (..), GlobalType (..), ExternType (..)
  , Value (..), typeOfValue, defaultValue
  , Instr (..), MemArg (..), LoadOp (..), StoreOp (..), UnaryOp (..), BinaryOp (..)
  , Module (..), Func (..), GlobalDef (..), Segment (..), Import (..), ImportDesc (..)
  , Export (..), ExportDesc (..), Name
  , importedFuncs, importedGlobals, importedTables, importedMemories
  , loadInfo, storeInfo, unaryType, binaryType
  ) where

import qualified Data.ByteString as B
import Data.Word (Word32, Word64)

-- | The bytes of a name, checked to be UTF-8.
type Name = B.ByteString

data ValType = I32Type | I64Type | F32Type | F64Type
  deriving (Eq, Ord)

instance Show ValType where
  show I32Type = "i32"
  show I64Type = "i64"
  show F32Type = "f32"
  show F64Type = "f64"

data FuncType = FuncType [ValType] [ValType]
  deriving (Eq, Ord)

instance Show FuncType where
  show (FuncType from to) = list from ++ " -> " ++ list to
    where
      list ts = "[" ++ unwords (map show ts) ++ "]"

data Limits = Limits { limitMin :: !Word32, limitMax :: !(Maybe Word32) }
  deriving (Eq)

instance Show Limits where
  show (Limits low high) = show low ++ maybe "" (\h -> " to " ++ show h) high

data GlobalType = GlobalType { globalMutable :: !Bool, globalValType :: !ValType }
  deriving (Eq)

instance Show GlobalType where
  show (GlobalType True t) = "(mut " ++ show t ++ ")"
  show (GlobalType False t) = show t

data ExternType
  = ExternFunc FuncType
  | ExternTable Limits
  | ExternMemory Limits
  | ExternGlobal GlobalType
  deriving (Eq)

instance Show ExternType where
  show (ExternFunc t) = "function " ++ show t
  show (ExternTable l) = "table of " ++ show l
  show (ExternMemory l) = "memory of " ++ show l ++ " pages"
  show (ExternGlobal t) = "global " ++ show t

data Value
  = I32 !Word32
  | I64 !Word64
  | F32 !Word32
  | F64 !Word64
  deriving (Eq, Show)

typeOfValue :: Value -> ValType
typeOfValue v = case v of
  I32 _ -> I32Type
  I64 _ -> I64Type
  F32 _ -> F32Type
  F64 _ -> F64Type

-- | What a local holds before it is set.
defaultValue :: ValType -> Value
defaultValue t = case t of
  I32Type -> I32 0
  I64Type -> I64 0
  F32Type -> F32 0
  F64Type -> F64 0

data MemArg = MemArg { memAlign :: !Word32, memOffset :: !Word32 }
  deriving (Eq, Show)

-- | The instructions, structured as in the text format.
data Instr
  = Unreachable
  | Nop
  | Block (Maybe ValType) [Instr]
  | Loop (Maybe ValType) [Instr]
  | If (Maybe ValType) [Instr] [Instr]
  | Br !Int
  | BrIf !Int
  | BrTable [Int] !Int
  | Return
  | Call !Int
  | CallIndirect !Int
  | Drop
  | Select
  | LocalGet !Int
  | LocalSet !Int
  | LocalTee !Int
  | GlobalGet !Int
  | GlobalSet !Int
  | Load !LoadOp !MemArg
  | Store !StoreOp !MemArg
  | MemorySize
  | MemoryGrow
  | Const !Value
  | Unary !UnaryOp
  | Binary !BinaryOp
  deriving (Eq, Show)

-- | In the order of their opcodes.
data LoadOp
  = I32Load | I64Load | F32Load | F64Load
  | I32Load8S | I32Load8U | I32Load16S | I32Load16U
  | I64Load8S | I64Load8U | I64Load16S | I64Load16U | I64Load32S | I64Load32U
  deriving (Eq, Ord, Show, Enum, Bounded)

-- | In the order of their opcodes.
data StoreOp
  = I32Store | I64Store | F32Store | F64Store
  | I32Store8 | I32Store16 | I64Store8 | I64Store16 | I64Store32
  deriving (Eq, Ord, Show, Enum, Bounded)

-- | Whatever takes one value and gives one: tests, arithmetic, conversions.
data UnaryOp
  = I32Eqz | I64Eqz
  | I32Clz | I32Ctz | I32Popcnt
  | I64Clz | I64Ctz | I64Popcnt
  | F32Abs | F32Neg | F32Ceil | F32Floor | F32Trunc | F32Nearest | F32Sqrt
  | F64Abs | F64Neg | F64Ceil | F64Floor | F64Trunc | F64Nearest | F64Sqrt
  | I32WrapI64
  | I32TruncF32S | I32TruncF32U | I32TruncF64S | I32TruncF64U
  | I64ExtendI32S | I64ExtendI32U
  | I64TruncF32S | I64TruncF32U | I64TruncF64S | I64TruncF64U
  | F32ConvertI32S | F32ConvertI32U | F32ConvertI64S | F32ConvertI64U | F32DemoteF64
  | F64ConvertI32S | F64ConvertI32U | F64ConvertI64S | F64ConvertI64U | F64PromoteF32
  | I32ReinterpretF32 | I64ReinterpretF64 | F32ReinterpretI32 | F64ReinterpretI64
  deriving (Eq, Ord, Show, Enum, Bounded)

-- | Whatever takes two values of one type and gives one.
data BinaryOp
  = I32Eq | I32Ne | I32LtS | I32LtU | I32GtS | I32GtU | I32LeS | I32LeU | I32GeS | I32GeU
  | I64Eq | I64Ne | I64LtS | I64LtU | I64GtS | I64GtU | I64LeS | I64LeU | I64GeS | I64GeU
  | F32Eq | F32Ne | F32Lt | F32Gt | F32Le | F32Ge
  | F64Eq | F64Ne | F64Lt | F64Gt | F64Le | F64Ge
  | I32Add | I32Sub | I32Mul | I32DivS | I32DivU | I32RemS | I32RemU
  | I32And | I32Or | I32Xor | I32Shl | I32ShrS | I32ShrU | I32Rotl | I32Rotr
  | I64Add | I64Sub | I64Mul | I64DivS | I64DivU | I64RemS | I64RemU
  | I64And | I64Or | I64Xor | I64Shl | I64ShrS | I64ShrU | I64Rotl | I64Rotr
  | F32Add | F32Sub | F32Mul | F32Div | F32Min | F32Max | F32Copysign
  | F64Add | F64Sub | F64Mul | F64Div | F64Min | F64Max | F64Copysign
  deriving (Eq, Ord, Show, Enum, Bounded)

data Module = Module
  { modTypes :: [FuncType]
  , modImports :: [Import]
  , modFuncs :: [Func]
  , modTables :: [Limits]
  , modMemories :: [Limits]
  , modGlobals :: [GlobalDef]
  , modExports :: [Export]
  , modStart :: Maybe Int
  , modElems :: [Segment [Int]]
  , modDatas :: [Segment B.ByteString]
  }

data Func = Func
  { funcType :: !Int
  , funcLocals :: [ValType]
  , funcBody :: [Instr]
  }

data GlobalDef = GlobalDef GlobalType [Instr]

-- | A piece of a table or memory: index, offset, content.
data Segment a = Segment { segIndex :: !Int, segOffset :: [Instr], segContent :: a }

data Import = Import { importModule :: Name, importName :: Name, importDesc :: ImportDesc }

data ImportDesc
  = ImportFunc !Int
  | ImportTable Limits
  | ImportMemory Limits
  | ImportGlobal GlobalType

data Export = Export { exportName :: Name, exportDesc :: ExportDesc }

data ExportDesc
  = ExportFunc !Int
  | ExportTable !Int
  | ExportMemory !Int
  | ExportGlobal !Int

importedFuncs :: Module -> [Int]
importedFuncs m = [t | Import _ _ (ImportFunc t) <- modImports m]

importedGlobals :: Module -> [GlobalType]
importedGlobals m = [t | Import _ _ (ImportGlobal t) <- modImports m]

importedTables :: Module -> [Limits]
importedTables m = [l | Import _ _ (ImportTable l) <- modImports m]

importedMemories :: Module -> [Limits]
importedMemories m = [l | Import _ _ (ImportMemory l) <- modImports m]

-- | The type loaded, the number of bytes, and whether the sign is extended.
loadInfo :: LoadOp -> (ValType, Int, Bool)
loadInfo op = case op of
  I32Load -> (I32Type, 4, False)
  I64Load -> (I64Type, 8, False)
  F32Load -> (F32Type, 4, False)
  F64Load -> (F64Type, 8, False)
  I32Load8S -> (I32Type, 1, True)
  I32Load8U -> (I32Type, 1, False)
  I32Load16S -> (I32Type, 2, True)
  I32Load16U -> (I32Type, 2, False)
  I64Load8S -> (I64Type, 1, True)
  I64Load8U -> (I64Type, 1, False)
  I64Load16S -> (I64Type, 2, True)
  I64Load16U -> (I64Type, 2, False)
  I64Load32S -> (I64Type, 4, True)
  I64Load32U -> (I64Type, 4, False)

-- | The type stored and the number of bytes.
storeInfo :: StoreOp -> (ValType, Int)
storeInfo op = case op of
  I32Store -> (I32Type, 4)
  I64Store -> (I64Type, 8)
  F32Store -> (F32Type, 4)
  F64Store -> (F64Type, 8)
  I32Store8 -> (I32Type, 1)
  I32Store16 -> (I32Type, 2)
  I64Store8 -> (I64Type, 1)
  I64Store16 -> (I64Type, 2)
  I64Store32 -> (I64Type, 4)

-- | What a unary instruction takes and gives.
unaryType :: UnaryOp -> (ValType, ValType)
unaryType op
  | op == I32Eqz = (I32Type, I32Type)
  | op == I64Eqz = (I64Type, I32Type)
  | op <= I32Popcnt = (I32Type, I32Type)
  | op <= I64Popcnt = (I64Type, I64Type)
  | op <= F32Sqrt = (F32Type, F32Type)
  | op <= F64Sqrt = (F64Type, F64Type)
  | otherwise = case op of
      I32WrapI64 -> (I64Type, I32Type)
      I32TruncF32S -> (F32Type, I32Type)
      I32TruncF32U -> (F32Type, I32Type)
      I32TruncF64S -> (F64Type, I32Type)
      I32TruncF64U -> (F64Type, I32Type)
      I64ExtendI32S -> (I32Type, I64Type)
      I64ExtendI32U -> (I32Type, I64Type)
      I64TruncF32S -> (F32Type, I64Type)
      I64TruncF32U -> (F32Type, I64Type)
      I64TruncF64S -> (F64Type, I64Type)
      I64TruncF64U -> (F64Type, I64Type)
      F32ConvertI32S -> (I32Type, F32Type)
      F32ConvertI32U -> (I32Type, F32Type)
      F32ConvertI64S -> (I64Type, F32Type)
      F32ConvertI64U -> (I64Type, F32Type)
      F32DemoteF64 -> (F64Type, F32Type)
      F64ConvertI32S -> (I32Type, F64Type)
      F64ConvertI32U -> (I32Type, F64Type)
      F64ConvertI64S -> (I64Type, F64Type)
      F64ConvertI64U -> (I64Type, F64Type)
      F64PromoteF32 -> (F32Type, F64Type)
      I32ReinterpretF32 -> (F32Type, I32Type)
      I64ReinterpretF64 -> (F64Type, I64Type)
      F32ReinterpretI32 -> (I32Type, F32Type)
      _ -> (I64Type, F64Type)

-- | What a binary instruction takes (twice) and gives.
binaryType :: BinaryOp -> (ValType, ValType)
binaryType op
  | op <= I32GeU = (I32Type, I32Type)
  | op <= I64GeU = (I64Type, I32Type)
  | op <= F32Ge = (F32Type, I32Type)
  | op <= F64Ge = (F64Type, I32Type)
  | op <= I32Rotr = (I32Type, I32Type)
  | op <= I64Rotr = (I64Type, I64Type)
  | op <= F32Copysign = (F32Type, F32Type)
  | otherwise = (F64Type, F64Type)
